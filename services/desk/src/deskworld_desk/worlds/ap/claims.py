"""What a vendor claims in a letter becomes a fact only when the ERP confirms it."""

from pydantic import ValidationError

from deskworld_desk.quarantine.reading import Reading
from deskworld_desk.world import CaseNow, FactFound, Unreachable
from deskworld_desk.worlds.ap.erp_client import ErpClient
from deskworld_desk.worlds.ap.facts import substituted_lines
from deskworld_desk.worlds.ap.records import Invoice, Order


async def confirm(erp: ErpClient, case: CaseNow, reading: Reading, mail_id: str) -> tuple[FactFound, ...]:
    """Raises Unreachable."""
    try:
        return (*await _order_named(erp, case, reading, mail_id), *await _substitution(erp, case, reading, mail_id))
    except ValidationError as error:
        raise Unreachable(f"the ERP answered nonsense: {error.error_count()} fields are wrong") from error


async def _order_named(erp: ErpClient, case: CaseNow, reading: Reading, mail_id: str) -> tuple[FactFound, ...]:
    if reading.po_number is None:
        return ()
    found = await erp.order(reading.po_number)
    if found is None or Order.model_validate(found).vendor_id != case.party_id:
        return ()
    return (FactFound("po_number", reading.po_number, "mail", mail_id, "the ERP knows this order of this vendor"),)


async def _substitution(erp: ErpClient, case: CaseNow, reading: Reading, mail_id: str) -> tuple[FactFound, ...]:
    """The reason counts when the item that the vendor says was shipped is the one that is billed."""
    if case.reason != "ITEM_SUBSTITUTED" or reading.substitution_reason is None or reading.shipped_item is None:
        return ()
    invoice = Invoice.model_validate(await erp.invoice(case.record_id))
    found = await erp.order(invoice.order_number) if invoice.order_number else None
    order = None if found is None else Order.model_validate(found)
    billed = {line.item.casefold() for line in substituted_lines(invoice, order)}
    if billed != {reading.shipped_item.casefold()}:
        return ()
    how = "the item shipped is the item billed"
    facts = [FactFound("substitution_reason", reading.substitution_reason, "mail", mail_id, how)]
    if reading.stated_price is not None:
        facts.append(FactFound("stated_price", str(reading.stated_price), "mail", mail_id, how))
    return tuple(facts)
