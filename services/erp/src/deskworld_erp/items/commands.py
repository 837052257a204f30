"""Setting what an item's units hold of each other, and the match of the vendor's invoices in that light."""

from typing import Any

from sqlalchemy import bindparam
from sqlalchemy.dialects.postgresql import insert

from deskworld_erp.documents.authority import may
from deskworld_erp.erp import Erp
from deskworld_erp.events.messages import Cause
from deskworld_erp.fields import quantity_text
from deskworld_erp.invoicing.book import load_book, lock_statement
from deskworld_erp.invoicing.matching import recheck
from deskworld_erp.invoicing.rules.authority import Duty
from deskworld_erp.invoicing.rules.lines import item_key
from deskworld_erp.invoicing.rules.units import contradicts
from deskworld_erp.items.schemas import PackOfUnits
from deskworld_erp.items.tables import item_units
from deskworld_erp.posting import Posting
from deskworld_erp.purchasing.reads import packs_of
from deskworld_kit.answers import not_found
from deskworld_kit.problems import Problem

_LOCK = lock_statement(bindparam("vendor_id"))


async def set_item_units(
    erp: Erp, posting: Posting, vendor_id: str, item: str, units: list[PackOfUnits]
) -> dict[str, Any]:
    """Raises Problem: NOT_FOUND, NOT_AUTHORISED, INVALID_REQUEST for units that contradict each other."""
    if await posting.lock(_LOCK, {"vendor_id": vendor_id}) is None:
        raise not_found("vendor", vendor_id=vendor_id)
    await may(erp, posting, Duty.SET_MASTER_DATA)
    row = units_row(item, units)
    values = row | {"at": posting.at}
    written = insert(item_units).values(vendor_id=vendor_id, **values)
    await posting.connection.execute(
        written.on_conflict_do_update(index_elements=[item_units.c.vendor_id, item_units.c.item], set_=values)
    )
    posting.audit("vendor", vendor_id, vendor_id, "set-item-units", row)
    book = await load_book(posting.connection, vendor_id, erp.tolerances)
    await recheck(posting, book, list(book.records), Cause("revision", vendor_id))
    return {"vendor_id": vendor_id, **row}


def units_row(item: str, units: list[PackOfUnits]) -> dict[str, Any]:
    """Raises Problem INVALID_REQUEST for units that contradict each other, or what they are by definition."""
    shown = [{"unit": one.unit, "quantity": quantity_text(one.quantity), "of": one.of} for one in units]
    wrong = contradicts(packs_of(shown))
    if wrong is not None:
        detail = f"units: {wrong.quantity:f} {wrong.of} in a {wrong.unit} is not what the other units say"
        raise Problem(400, "INVALID_REQUEST", detail, field="units", item=item, unit=wrong.unit, of=wrong.of)
    return {"item": item_key(item), "units": shown}
