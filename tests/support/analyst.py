"""The playbook at work: turns over records, and what it did at the door."""

from typing import Any

from tests.support import agent as desk
from tests.support.agent import Json, Office, take

from deskworld_agent.playbook import playbook

REASONS = (
    "PRICE_VARIANCE", "QTY_OVER_RECEIPT", "NO_RECEIPT", "DUPLICATE", "POSSIBLE_DUPLICATE", "NO_PO", "UNPLANNED_CHARGE",
    "VENDOR_BANK_CHANGED", "ITEM_SUBSTITUTED", "CURRENCY_MISMATCH", "UOM_MISMATCH", "DOCUMENT_ARITHMETIC",
)  # fmt: skip


async def worked(
    *turns: Json, of: Json | None = None, tools: dict[str, desk.Tool] | None = None, **records: Any
) -> Office:
    """Plays these turns over these records and gives back the desk with every call on it."""
    office = Office(tools={**desk.documents(of=of, **records), **(tools or {})})
    await take(office, playbook(), *turns)
    assert [end["how"] for end in office.ended] == ["COMPLETED"] * len(turns)
    return office


def moves(office: Office) -> list[str]:
    """Each move by its tool, a proposal by its action."""
    return [
        call["args"].get("action", call["tool"])
        for call in office.calls
        if call["tool"] in desk.MOVES and call["tool"] != "note_case"
    ]


def proposal(office: Office) -> Json:
    made = office.made("propose_resolution")
    assert made, f"nothing was proposed, but {moves(office)}"
    return made[-1]


def over(price: str) -> Json:
    return desk.invoice(desk.line(price=price))


def like(why: str = "same-number-key", status: str = "APPROVED") -> Json:
    found = {"id": "0190-original", "number": "V-01", "status": status, "ids": ["0190-original", "V-01", "invoice-2"]}
    return {"invoice": found, "why": why}


def without_order(**changes: Any) -> Json:
    return desk.invoice(**{"reason": "NO_PO", "po_reference": "PO-0", "matched_po": None, "payable": "0.00", **changes})
