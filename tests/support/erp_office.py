"""Documents posted at the office door, and read back."""

from typing import Any

import httpx
from tests.support.erp import RunningErp, Seeded

from deskworld_kit.ids import new_id


async def post(
    erp: RunningErp, path: str, body: Any, *, by: str = "emma.lind", key: str | None = None, put: bool = False
) -> httpx.Response:
    headers = {**erp.headers(by), "Idempotency-Key": key or new_id()}
    method = "PUT" if put else "POST"
    if isinstance(body, bytes):
        return await erp.office.request(
            method, path, content=body, headers={**headers, "Content-Type": "application/xml"}
        )
    return await erp.office.request(method, path, json=body, headers=headers)


async def posted(erp: RunningErp, path: str, body: Any, **how: Any) -> Any:
    answer = await post(erp, path, body, **how)
    assert answer.status_code in {200, 201}, answer.text
    return answer.json()


async def bill(erp: RunningErp, seeded: Seeded, **changes: Any) -> Any:
    """Posts an invoice of the seeded vendor on its order; the invoice as it stands then."""
    order = seeded.record("order")["number"]
    line = {"po_line": 1, "item": "BOLT-M8", "description": "Bolt", "unit": "EA", "quantity": "100", "price": "10.00"}
    plain = {
        "number": f"RE-{new_id()[-6:]}",
        "po_reference": order,
        "date": "2026-03-10",
        "currency": "USD",
        "lines": [line],
    }
    body = {"vendor_id": seeded.vendor_id, **plain, **changes}
    answer = await posted(erp, "/invoices", body)
    return await erp.get(f"/invoices/{answer['id']}")


def billed(quantity: str, price: str = "10.00", **changes: Any) -> dict[str, Any]:
    line = {"po_line": 1, "item": "BOLT-M8", "description": "Bolt", "unit": "EA", "quantity": quantity, "price": price}
    return line | changes


async def goods(erp: RunningErp, seeded: Seeded, quantity: str, **changes: Any) -> Any:
    line = {"line": 1, "quantity": quantity, **changes}
    body = {"po_number": seeded.record("order")["number"], "date": "2026-03-20", "lines": [line]}
    return await posted(erp, "/goods-receipts", body)


async def reversed_(erp: RunningErp, receipt_id: str, why: str = "sent back") -> Any:
    return await posted(erp, f"/goods-receipts/{receipt_id}/reversal", {"date": "2026-03-21", "why": why})


async def revised(erp: RunningErp, seeded: Seeded, revision: int, *lines: dict[str, Any], **changes: Any) -> Any:
    plain = {"item": "BOLT-M8", "description": "Bolt", "unit": "EA", "quantity": "100", "price": "10.00"}
    body = {"revision": revision, "buyer": "anna.keller", "currency": "USD", "date": "2026-03-06"}
    body |= {"lines": [plain | one for one in lines], **changes}
    return await posted(erp, f"/purchase-orders/{seeded.record('order')['number']}/revisions", body)


async def credited(erp: RunningErp, invoice: dict[str, Any], amount: str, **changes: Any) -> Any:
    plain = {"number": f"CN-{new_id()[-6:]}", "date": "2026-03-22", "currency": "USD", "amount": amount}
    return await posted(erp, "/credit-notes", {"invoice_id": invoice["id"], **plain, **changes})


def open_reasons(invoice: dict[str, Any]) -> list[str]:
    return [one["reason"] for one in invoice["exceptions"] if one["status"] == "OPEN"]


def told(invoice: dict[str, Any]) -> list[tuple[str, str]]:
    """Reasons and amounts of what is open."""
    return [(one["reason"], one["amount"]) for one in invoice["exceptions"] if one["status"] == "OPEN"]


def events_of(witness: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [one["data"] for one in witness["outbox"] if one["type"] == f"deskworld.erp.{kind}"]
