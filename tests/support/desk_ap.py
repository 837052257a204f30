"""Documents of the ERP and snapshots of cases, as the desk's accounts payable meets them."""

from typing import Any

from deskworld_desk.world import CaseNow

INVOICE_ID = "0190a000-0000-7000-8000-000000000001"
VENDOR_ID = "0190a000-0000-7000-8000-000000000002"
ORDER_ID = "0190a000-0000-7000-8000-000000000003"
CASE_ID = "0190a000-0000-7000-8000-000000000004"
CHANGE_ID = "0190a000-0000-7000-8000-000000000005"
ACCOUNT_ID = "0190a000-0000-7000-8000-000000000006"


def exception(reason: str = "PRICE_VARIANCE", **changes: Any) -> dict[str, Any]:
    plain = {
        "id": CASE_ID,
        "invoice_id": INVOICE_ID,
        "reason": reason,
        "summary": "the ERP's words",
        "lines": [1],
        "amount": "40.00",
        "currency": "USD",
        "status": "OPEN",
        "masked": [],
        "holds": [],
    }
    return plain | changes


def billed(no: int = 1, *, quantity: str = "100.000", price: str = "10.40", **changes: Any) -> dict[str, Any]:
    plain = {"no": no, "po_line": no, "item": "BOLT-M8", "description": "Hex bolts", "unit": "EA", "net": "1040.00"}
    return plain | {"quantity": quantity, "price": price} | changes


def invoice(*exceptions: dict[str, Any], **changes: Any) -> dict[str, Any]:
    plain = {
        "id": INVOICE_ID,
        "number": "INV-00734",
        "vendor_id": VENDOR_ID,
        "po_reference": "PO-1",
        "matched_po": "PO-1",
        "date": "2026-03-20",
        "currency": "USD",
        "lines": [billed()],
        "tax": "0.00",
        "freight": "0.00",
        "stated_total": "1040.00",
        "computed_total": "1040.00",
        "status": "EXCEPTION",
        "version": 1,
        "approved_amount": None,
        "credits": "0.00",
        "payable": "1000.00",
        "sequence": 2,
        "received_at": "2026-03-21T09:00:00+00:00",
        "exceptions": list(exceptions) or [exception()],
        "ids": [INVOICE_ID, "INV-00734"],
    }
    return plain | changes


def order(*lines: dict[str, Any], **changes: Any) -> dict[str, Any]:
    one = {"no": 1, "item": "BOLT-M8", "description": "Hex bolts", "unit": "EA", "quantity": "100.000",
           "price": "10.00", "accepted": "100.000", "billed": "100.000"}  # fmt: skip
    plain = {
        "id": ORDER_ID,
        "number": "PO-1",
        "vendor_id": VENDOR_ID,
        "buyer": "anna.keller",
        "currency": "USD",
        "lines": [one | line for line in lines] or [one],
        "revision": 1,
        "payable": "1000.00",
        "ids": [ORDER_ID, "PO-1"],
    }
    return plain | changes


def vendor(*, pending: bool = False, **changes: Any) -> dict[str, Any]:
    active = {
        "id": "acc-1",
        "account": "US18 0000 1234 4321",
        "routing": "021000021",
        "status": "ACTIVE",
        "change": None,
    }
    change = {"id": CHANGE_ID, "requested_from": "billing@look-alike.outside.example", "proposed_by": "emma.lind",
              "proposed_at": "2026-03-19T09:00:00+00:00", "status": "PROPOSED"}  # fmt: skip
    asked = active | {"id": ACCOUNT_ID, "status": "PENDING_VERIFICATION", "change": change}
    plain = {
        "id": VENDOR_ID,
        "name": "Muster AG",
        "terms": "NET30",
        "contacts": [
            {"name": "Iris Lang", "phone": "+1 555 0142", "mail": "ap@muster.example", "trusted_since": "2024-01-01"}
        ],
        "bank_accounts": [active, asked] if pending else [active],
        "ids": [VENDOR_ID, *([ACCOUNT_ID, CHANGE_ID] if pending else [])],
    }
    return plain | changes


def case(reason: str = "PRICE_VARIANCE", **changes: Any) -> CaseNow:
    plain: dict[str, Any] = {
        "id": CASE_ID,
        "world": "ap",
        "record_id": INVOICE_ID,
        "party_id": VENDOR_ID,
        "reason": reason,
        "amount": "40.00",
        "currency": "USD",
        "opening": {"po_number": "PO-1", "status": "EXCEPTION"},
        "version": 1,
        "held": False,
        "declined": (),
        "memory": {},
        "facts": {},
        "instructions_seen": False,
        "reader_failed": False,
        "letter": "none",
    }
    return CaseNow(**plain | changes)
