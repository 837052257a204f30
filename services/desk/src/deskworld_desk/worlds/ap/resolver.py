"""The rules of accounts payable: read the ERP, ask the decision table, and say what follows."""

import asyncio
from collections.abc import Awaitable
from decimal import Decimal
from typing import TypeVar

import structlog
from pydantic import BaseModel, ValidationError

from deskworld_desk.policy_client import PolicyClient
from deskworld_desk.world import CaseNow, FactFound, Json, PolicyAnswer, Resolution, Unreachable
from deskworld_desk.worlds.ap.drafting import amount_of, draft, settled_by
from deskworld_desk.worlds.ap.erp_client import ErpClient
from deskworld_desk.worlds.ap.facts import UNKNOWN, Read, resolution_input
from deskworld_desk.worlds.ap.letters import letter_for
from deskworld_desk.worlds.ap.records import Invoice, Items, Order, Similar, Vendor
from deskworld_desk.worlds.ap.routing import Known, Proposed

log = structlog.get_logger(__name__)
Doc = TypeVar("Doc", bound=BaseModel)
# the one fact of each kind of exception that a reader of the timeline wants to see
TELLING = {
    "PRICE_VARIANCE": "largest_line_variance",
    "DUPLICATE": "original",
    "POSSIBLE_DUPLICATE": "duplicate_cover",
    "UNPLANNED_CHARGE": "payable",
    "VENDOR_BANK_CHANGED": "bank_change",
}


class Reading:
    """Documents read for one run, with their ids, and whether something could not be read."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.failed = False

    async def one(self, kind: type[Doc], asked: Awaitable[Json | None]) -> Doc | None:
        """None when there is none, or when it could not be had."""
        try:
            found = await asked
            document = None if found is None else kind.model_validate(found)
        except (Unreachable, ValidationError) as error:
            log.warning("not read", kind=kind.__name__, why=str(error)[:200])
            self.failed = True
            return None
        if document is not None:
            self.ids += getattr(document, "ids", ())
        return document


async def resolve(erp: ErpClient, policy: PolicyClient, case: CaseNow) -> Resolution:
    reading = Reading()
    read = await _read(erp, case, reading)
    if read is None:
        return Resolution(outcome="stop", reason="failed", read=tuple(reading.ids))
    answer = await policy.resolution("ap", resolution_input(case, read))
    ids = tuple(dict.fromkeys(reading.ids))
    facts = _facts(case, read, answer)
    if answer.effect == "propose" and answer.action is not None:
        return _proposal(case, read, answer, ids, facts)
    if answer.effect == "ask":
        letter = letter_for(case, read.invoice, read.vendor)
        if letter is not None:
            return Resolution(outcome="ask", facts=facts, read=ids, asked=answer, letter=letter)
    reason = "failed" if reading.failed else answer.reason or "unhandled"
    return Resolution(outcome="stop", reason=reason, facts=facts, read=ids, asked=answer)


async def _read(erp: ErpClient, case: CaseNow, reading: Reading) -> Read | None:
    """All at once, as far as it is known what to read."""
    number = case.opening.get("po_number")
    found = await asyncio.gather(
        reading.one(Invoice, erp.invoice(case.record_id)),
        reading.one(Vendor, erp.vendor(case.party_id)),
        _similar(erp, case, reading),
        _history(erp, case, reading),
        _order(erp, number, case, reading),
    )
    invoice, vendor, similar, history, order = found
    if invoice is None:
        return None
    if order is None and invoice.order_number is not None and invoice.order_number != number:
        order = await _order(erp, invoice.order_number, case, reading)
    return Read(invoice, order, vendor, similar, history)


async def _order(erp: ErpClient, number: str | None, case: CaseNow, reading: Reading) -> Order | None:
    """The order with its receipts; none when it is another vendor's."""
    if number is None:
        return None
    order, receipts = await asyncio.gather(
        reading.one(Order, erp.order(number)), reading.one(Items, erp.receipts(number))
    )
    if order is None or receipts is None:
        return None
    return order if order.vendor_id == case.party_id else None


async def _similar(erp: ErpClient, case: CaseNow, reading: Reading) -> tuple[Similar, ...] | None:
    if case.reason not in {"DUPLICATE", "POSSIBLE_DUPLICATE"}:
        return None
    found = await reading.one(Items, erp.similar(case.record_id))
    return None if found is None else tuple(Similar.model_validate(item) for item in found.items)


async def _history(erp: ErpClient, case: CaseNow, reading: Reading) -> tuple[Invoice, ...] | None:
    if case.reason != "POSSIBLE_DUPLICATE":
        return None
    found = await reading.one(Items, erp.vendor_invoices(case.party_id))
    return None if found is None else tuple(Invoice.model_validate(item) for item in found.items)


def _proposal(
    case: CaseNow, read: Read, answer: PolicyAnswer, ids: tuple[str, ...], facts: tuple[FactFound, ...]
) -> Resolution:
    action = str(answer.action)
    asked = None if answer.amount is None else Decimal(answer.amount)
    proposed = Proposed(
        action=action,
        amount=amount_of(action, asked, read.invoice),
        settles=settled_by(action, None, case.id),
        against=None,
        citations=ids,
        ungrounded=(),
    )
    known = Known(invoice=read.invoice, order=read.order, vendor=read.vendor)
    why = answer.reasons[0][1] if answer.reasons else f"Row {answer.row} of the decision table."
    wanted = draft(case, "rules", proposed, known, rationale=why)
    return Resolution(outcome="propose", facts=facts, read=ids, asked=answer, draft=wanted)


def _facts(case: CaseNow, read: Read, answer: PolicyAnswer) -> tuple[FactFound, ...]:
    name = TELLING.get(case.reason)
    value = answer.input["facts"].get(name) if name else None
    if name is None or value in {None, UNKNOWN} or case.facts.get(name) == value:
        return ()
    source = read.vendor.id if name == "bank_change" and read.vendor else read.invoice.id
    return (FactFound(name, value, "erp", source, "read from the ERP"),)
