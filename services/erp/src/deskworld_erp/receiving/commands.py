"""Posting goods: the receipt, its audit row, its event, and the match of every invoice on that order."""

from typing import Any

from sqlalchemy import bindparam, select

from deskworld_erp.answers import not_found
from deskworld_erp.erp import Erp
from deskworld_erp.events.messages import Cause, event
from deskworld_erp.fields import quantity_text
from deskworld_erp.invoicing.book import load_book, lock_statement
from deskworld_erp.invoicing.matching import recheck
from deskworld_erp.invoicing.rules.authority import Duty, has_duty
from deskworld_erp.invoicing.state import grants
from deskworld_erp.posting import Actor
from deskworld_erp.purchasing.tables import orders
from deskworld_erp.receiving.reads import receipt_view
from deskworld_erp.receiving.schemas import NewReceipt, ReceivedLine
from deskworld_erp.receiving.tables import receipts
from deskworld_kit.ids import new_id
from deskworld_kit.problems import Problem

_LOCK = lock_statement(select(orders.c.vendor_id).where(orders.c.number == bindparam("number")).scalar_subquery())


async def post_receipt(erp: Erp, actor: Actor, new: NewReceipt) -> dict[str, Any]:
    """Raises Problem: NOT_FOUND, NOT_AUTHORISED, INVALID_REQUEST."""
    async with erp.posting(actor) as posting:
        connection = posting.connection
        vendor_id = (await connection.execute(_LOCK, {"number": new.po_number})).scalar()
        if vendor_id is None:
            raise not_found("order", po_number=new.po_number)
        if erp.enforce and not has_duty(await grants(connection, actor.name), Duty.POST_RECEIPT):
            raise Problem(403, "NOT_AUTHORISED", f"{actor.name} may not post goods receipts.", user=actor.name)
        order = (await connection.execute(select(orders).where(orders.c.number == new.po_number))).one()
        unknown = sorted({line.line for line in new.lines} - {line["no"] for line in order.lines})
        if unknown:
            raise Problem(400, "INVALID_REQUEST", "lines: the order has no such line", field="lines", lines=unknown)
        row = receipt_row(
            order_id=order.id, po_number=order.number, vendor_id=vendor_id, day=new.date, lines=new.lines
        ) | {"posted_by": actor.user, "at": posting.at}
        stored = (await connection.execute(receipts.insert().values(row).returning(receipts))).one()
        view = receipt_view(stored)
        posting.audit("receipt", row["id"], vendor_id, "post", {"po_number": order.number, "lines": row["lines"]})
        posting.events.append(
            event(
                "receipt.posted",
                subject=row["id"],
                key=order.id,
                vendor_id=vendor_id,
                at=posting.at,
                data={"receipt_id": row["id"], "po_number": order.number, "lines": row["lines"]},
            )
        )
        book = await load_book(connection, vendor_id, erp.tolerances)
        await recheck(posting, book, book.on_order(order.number), Cause("receipt", row["id"]))
    return view


def receipt_row(
    *, order_id: str, po_number: str, vendor_id: str, day: Any, lines: list[ReceivedLine]
) -> dict[str, Any]:
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
                "quantity": quantity_text(line.quantity),
                "accepted": quantity_text(line.quantity - line.rejected),
                "rejected": quantity_text(line.rejected),
            }
            for line in lines
        ],
    }
