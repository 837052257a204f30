"""Posting and reversing goods: the receipt, its audit row, its event, and the match of every invoice on that order."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import Row, bindparam, select

from deskworld_erp.documents.authority import may
from deskworld_erp.erp import Erp
from deskworld_erp.events.messages import Cause, event
from deskworld_erp.fields import quantity_text
from deskworld_erp.invoicing.book import load_book, lock_statement
from deskworld_erp.invoicing.matching import recheck
from deskworld_erp.invoicing.rules.authority import Duty
from deskworld_erp.posting import Posting
from deskworld_erp.purchasing.tables import orders
from deskworld_erp.receiving.reads import receipt_view
from deskworld_erp.receiving.schemas import GoodsReceived, NewReversal, ReceivedLine
from deskworld_erp.receiving.tables import receipts
from deskworld_kit.answers import not_found
from deskworld_kit.ids import new_id
from deskworld_kit.problems import Problem

_LOCK = lock_statement(select(orders.c.vendor_id).where(orders.c.number == bindparam("number")).scalar_subquery())
_LOCK_RECEIPT = lock_statement(
    select(receipts.c.vendor_id).where(receipts.c.id == bindparam("receipt_id")).scalar_subquery()
)


async def receive(erp: Erp, posting: Posting, new: GoodsReceived) -> dict[str, Any]:
    """Raises Problem: NOT_FOUND, NOT_AUTHORISED, INVALID_REQUEST."""
    vendor_id = await posting.lock(_LOCK, {"number": new.po_number})
    if vendor_id is None:
        raise not_found("order", po_number=new.po_number)
    await may(erp, posting, Duty.POST_RECEIPT)
    order = (await posting.connection.execute(select(orders).where(orders.c.number == new.po_number))).one()
    unknown = sorted({line.line for line in new.lines} - {line["no"] for line in order.lines})
    if unknown:
        raise Problem(400, "INVALID_REQUEST", "lines: the order has no such line", field="lines", lines=unknown)
    row = receipt_row(
        order_id=order.id,
        po_number=order.number,
        vendor_id=vendor_id,
        day=new.date,
        lines=new.lines,
        units=units_of(order.lines),
    )
    return await _post(erp, posting, row, "post", {})


async def reverse(erp: Erp, posting: Posting, receipt_id: str, new: NewReversal) -> dict[str, Any]:
    """Raises Problem: NOT_FOUND, NOT_AUTHORISED, INVALID_TRANSITION for what is reversed or is a reversal itself."""
    if await posting.lock(_LOCK_RECEIPT, {"receipt_id": receipt_id}) is None:
        raise not_found("receipt", receipt_id=receipt_id)
    await may(erp, posting, Duty.POST_RECEIPT)
    original = (await posting.connection.execute(select(receipts).where(receipts.c.id == receipt_id))).one()
    if original.reverses is not None:
        detail = "A reversal is not reversed; the goods are posted again."
        raise Problem(422, "INVALID_TRANSITION", detail, receipt_id=receipt_id, reverses=original.reverses)
    known = select(receipts.c.id).where(receipts.c.reverses == receipt_id)
    reversed_by = (await posting.connection.execute(known)).scalar()
    if reversed_by is not None:
        detail = "This receipt was reversed before."
        raise Problem(422, "INVALID_TRANSITION", detail, receipt_id=receipt_id, reversed_by=reversed_by)
    return await _post(erp, posting, _negative(original, new.date), "reverse", {"why": new.why})


async def _post(
    erp: Erp, posting: Posting, row: dict[str, Any], action: str, more: Mapping[str, Any]
) -> dict[str, Any]:
    values = row | {"posted_by": posting.actor.user, "at": posting.at}
    stored = (await posting.connection.execute(receipts.insert().values(values).returning(receipts))).one()
    detail = {"po_number": row["po_number"], "lines": row["lines"], "reverses": row["reverses"]}
    posting.audit("receipt", row["id"], row["vendor_id"], action, {**detail, **more})
    posting.events.append(
        event(
            "receipt.posted",
            subject=row["id"],
            key=row["order_id"],
            vendor_id=row["vendor_id"],
            at=posting.at,
            data={"receipt_id": row["id"], **detail},
        )
    )
    book = await load_book(posting.connection, row["vendor_id"], erp.tolerances)
    await recheck(posting, book, book.on_order(row["po_number"]), Cause("receipt", row["id"]))
    return receipt_view(stored)


def units_of(order_lines: Sequence[Mapping[str, Any]]) -> Mapping[int, str]:
    return {line["no"]: line["unit"] for line in order_lines}


def receipt_row(
    *, order_id: str, po_number: str, vendor_id: str, day: date, lines: list[ReceivedLine], units: Mapping[int, str]
) -> dict[str, Any]:
    """`units`: per line of the order, for the lines that name none."""
    return {
        "id": new_id(),
        "order_id": order_id,
        "po_number": po_number,
        "vendor_id": vendor_id,
        "date": day,
        "reverses": None,
        "lines": [
            {
                "line": line.line,
                "unit": line.unit or units[line.line],
                "quantity": quantity_text(line.quantity),
                "accepted": quantity_text(line.quantity - line.rejected),
                "rejected": quantity_text(line.rejected),
            }
            for line in lines
        ],
    }


def _negative(original: Row[Any], day: date) -> dict[str, Any]:
    """The exact negative, as a document of its own."""
    names = ("quantity", "accepted", "rejected")
    return {
        "id": new_id(),
        "order_id": original.order_id,
        "po_number": original.po_number,
        "vendor_id": original.vendor_id,
        "date": day,
        "reverses": original.id,
        "lines": [line | {name: quantity_text(-Decimal(line[name]) + 0) for name in names} for line in original.lines],
    }
