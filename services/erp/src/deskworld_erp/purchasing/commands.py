"""Posting and revising orders, and the match of every invoice that cites them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.dialects.postgresql import insert

from deskworld_erp.documents.authority import may
from deskworld_erp.erp import Erp
from deskworld_erp.events.messages import Cause
from deskworld_erp.fields import price_text, quantity_text
from deskworld_erp.invoicing.book import load_book, lock_statement
from deskworld_erp.invoicing.matching import recheck
from deskworld_erp.invoicing.rules.authority import Duty
from deskworld_erp.invoicing.rules.revisions import does_not_follow
from deskworld_erp.posting import Posting
from deskworld_erp.purchasing.reads import ORDER, order_value, order_view
from deskworld_erp.purchasing.schemas import NewOrder, NewOrderLine, NewRevision
from deskworld_erp.purchasing.tables import order_revisions, orders
from deskworld_kit.answers import not_found
from deskworld_kit.ids import new_id
from deskworld_kit.problems import Problem

_LOCK = lock_statement(select(orders.c.vendor_id).where(orders.c.number == bindparam("number")).scalar_subquery())
_LOCK_VENDOR = lock_statement(bindparam("vendor_id"))


async def post_order(erp: Erp, posting: Posting, new: NewOrder) -> dict[str, Any]:
    """Raises Problem: NOT_FOUND, NOT_AUTHORISED, ALREADY_EXISTS."""
    if await posting.lock(_LOCK_VENDOR, {"vendor_id": new.vendor_id}) is None:
        raise not_found("vendor", vendor_id=new.vendor_id)
    await may(erp, posting, Duty.POST_DOCUMENT)
    order_id = new_id()
    values = {"buyer": new.buyer, "date": new.date, "lines": order_lines(new.lines), "revision": 1, "at": posting.at}
    row = insert(orders).values(
        id=order_id, number=new.number, vendor_id=new.vendor_id, currency=new.currency, **values
    )
    written = row.on_conflict_do_nothing(index_elements=[orders.c.number]).returning(orders.c.id)
    if (await posting.connection.execute(written)).first() is None:
        raise Problem(409, "ALREADY_EXISTS", "An order has this number.", number=new.number)
    await _keep_revision(posting, order_id, new.vendor_id, values)
    detail = {"number": new.number, "buyer": new.buyer}
    posting.audit("order", order_id, new.vendor_id, "post", detail)
    return await _matched_again(erp, posting, new.vendor_id, order_id, new.number)


async def revise_order(erp: Erp, posting: Posting, number: str, new: NewRevision) -> dict[str, Any]:
    """The order as it stands afterwards: a revision below the current one is kept, and changes nothing.

    Raises Problem: NOT_FOUND, NOT_AUTHORISED, INVALID_REQUEST, ALREADY_EXISTS.
    """
    vendor_id = await posting.lock(_LOCK, {"number": number})
    if vendor_id is None:
        raise not_found("order", number=number)
    await may(erp, posting, Duty.POST_DOCUMENT)
    row = (await posting.connection.execute(ORDER.where(orders.c.number == number))).one()
    lines = order_lines(new.lines)
    why = does_not_follow(order_value(row), order_value(_Revised(number, new.currency, lines, row.packs)))
    if why is not None:
        raise Problem(400, "INVALID_REQUEST", f"lines: {why}", field="lines", number=number, revision=new.revision)
    values = {"buyer": new.buyer, "date": new.date, "lines": lines, "revision": new.revision, "at": posting.at}
    if not await _keep_revision(posting, row.id, vendor_id, values):
        detail = "The order has this revision."
        raise Problem(409, "ALREADY_EXISTS", detail, number=number, revision=new.revision, current=row.revision)
    detail_of = {"number": number, "revision": new.revision, "buyer": new.buyer, "lines": lines}
    posting.audit("order", row.id, vendor_id, "revise", detail_of)
    if new.revision < row.revision:
        return order_view(row)
    await posting.connection.execute(orders.update().where(orders.c.id == row.id).values(values))
    return await _matched_again(erp, posting, vendor_id, row.id, number)


def order_lines(lines: Sequence[NewOrderLine]) -> list[dict[str, Any]]:
    return [
        {
            "no": no,
            "item": line.item,
            "description": line.description,
            "unit": line.unit,
            "quantity": quantity_text(line.quantity),
            "price": price_text(line.price),
        }
        | ({} if line.base_quantity == 1 else {"base_quantity": quantity_text(line.base_quantity)})
        for no, line in enumerate(lines, start=1)
    ]


class _Revised:
    """What `order_value` reads, of a revision that is not written yet."""

    def __init__(self, number: str, currency: str, lines: list[dict[str, Any]], packs: dict[str, Any]) -> None:
        self.number, self.currency, self.lines, self.packs = number, currency, lines, packs


async def _keep_revision(posting: Posting, order_id: str, vendor_id: str, values: dict[str, Any]) -> bool:
    row = insert(order_revisions).values(order_id=order_id, vendor_id=vendor_id, posted_by=posting.actor.user, **values)
    columns = [order_revisions.c.order_id, order_revisions.c.revision]
    written = row.on_conflict_do_nothing(index_elements=columns).returning(order_revisions.c.revision)
    return (await posting.connection.execute(written)).first() is not None


async def _matched_again(erp: Erp, posting: Posting, vendor_id: str, order_id: str, number: str) -> dict[str, Any]:
    book = await load_book(posting.connection, vendor_id, erp.tolerances, orders_too=[number])
    await recheck(posting, book, book.on_order(number), Cause("revision", order_id))
    return order_view((await posting.connection.execute(ORDER.where(orders.c.id == order_id))).one())
