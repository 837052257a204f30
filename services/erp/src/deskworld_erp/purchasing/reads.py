"""Reads of orders: what was ordered, accepted and billed, and what could be paid against it now."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from sqlalchemy import Row, func, literal_column, select
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.fields import quantity_text
from deskworld_erp.invoicing.rules.amounts import NO_QUANTITY
from deskworld_erp.invoicing.rules.lines import counted, item_key
from deskworld_erp.invoicing.rules.payable import order_payable
from deskworld_erp.invoicing.rules.receipts import Received, ReceivedLine
from deskworld_erp.invoicing.rules.receipts import received as standing
from deskworld_erp.invoicing.rules.units import Pack
from deskworld_erp.invoicing.rules.values import Order, OrderLine
from deskworld_erp.invoicing.tables import exceptions, invoices
from deskworld_erp.items.tables import item_units
from deskworld_erp.purchasing.tables import order_revisions, orders
from deskworld_erp.receiving.tables import receipts

_under_duplicate = (
    select(exceptions.c.id)
    .where(
        exceptions.c.invoice_id == invoices.c.id,
        exceptions.c.status == "OPEN",
        exceptions.c.reason == "DUPLICATE",
    )
    .correlate(invoices)
    .exists()
)
_BILLED = (
    select(func.coalesce(func.json_agg(invoices.c.counts), literal_column("'[]'::json")))
    .where(
        invoices.c.vendor_id == orders.c.vendor_id,
        invoices.c.matched_po == orders.c.number,
        invoices.c.status != "REJECTED",
        ~_under_duplicate,
    )
    .correlate(orders)
    .scalar_subquery()
)
RECEIVED = (
    select(
        func.coalesce(func.json_agg(aggregate_order_by(receipts.c.lines, receipts.c.id)), literal_column("'[]'::json"))
    )
    .where(receipts.c.order_id == orders.c.id)
    .correlate(orders)
    .scalar_subquery()
)
PACKS = (
    select(func.coalesce(func.json_object_agg(item_units.c.item, item_units.c.units), literal_column("'{}'::json")))
    .where(item_units.c.vendor_id == orders.c.vendor_id)
    .correlate(orders)
    .scalar_subquery()
)
ORDER = select(orders, RECEIVED.label("received"), _BILLED.label("billed"), PACKS.label("packs"))


async def order_row(connection: AsyncConnection, number: str, *, vendor_id: str | None = None) -> Row[Any] | None:
    wanted = ORDER.where(orders.c.number == number)
    if vendor_id is not None:
        wanted = wanted.where(orders.c.vendor_id == vendor_id)
    return (await connection.execute(wanted)).first()


async def orders_after(
    connection: AsyncConnection, after: str, *, limit: int, vendor_id: str | None, buyer: str | None
) -> list[dict[str, Any]]:
    """In the order in which they were posted."""
    wanted = ORDER.where(orders.c.id > after)
    if vendor_id is not None:
        wanted = wanted.where(orders.c.vendor_id == vendor_id)
    if buyer is not None:
        wanted = wanted.where(orders.c.buyer == buyer)
    return [order_view(row) for row in await connection.execute(wanted.order_by(orders.c.id).limit(limit))]


def order_value(row: Any) -> Order:
    """`row.packs`: per item code of the vendor, what its units hold of each other."""
    packs = {item_key(item): packs_of(units) for item, units in row.packs.items()}
    return Order(row.number, row.currency, tuple(order_line(line, packs) for line in row.lines))


def order_line(line: Mapping[str, Any], packs: Mapping[str, tuple[Pack, ...]]) -> OrderLine:
    return OrderLine(
        no=line["no"],
        item=line["item"],
        unit=line["unit"],
        quantity=Decimal(line["quantity"]),
        price=Decimal(line["price"]),
        base=Decimal(line.get("base_quantity", 1)),
        packs=packs.get(item_key(line["item"]), ()),
    )


def packs_of(units: Iterable[Mapping[str, str]]) -> tuple[Pack, ...]:
    return tuple(Pack(one["unit"], Decimal(one["quantity"]), one["of"]) for one in units)


def received_of(order: Order, received: Iterable[Iterable[Mapping[str, Any]]]) -> Received:
    """Over all receipts of the order; reversals are negative."""
    units = {line.no: line.unit for line in order.lines}
    return standing(
        order,
        (
            ReceivedLine(line["line"], line.get("unit") or units.get(line["line"], ""), Decimal(line["accepted"]))
            for lines in received
            for line in lines
        ),
    )


def billed_of(counts: Iterable[Mapping[str, str]]) -> Mapping[int, Decimal]:
    return counted((int(number), Decimal(quantity)) for one in counts for number, quantity in one.items())


def payable_of(row: Row[Any]) -> Decimal:
    order = order_value(row)
    return order_payable(order, received_of(order, row.received).accepted, billed_of(row.billed))


def order_view(row: Row[Any]) -> dict[str, Any]:
    accepted, billed = received_of(order_value(row), row.received).accepted, billed_of(row.billed)
    lines = [
        line
        | {
            "accepted": quantity_text(accepted.get(line["no"], NO_QUANTITY)),
            "billed": quantity_text(billed.get(line["no"], NO_QUANTITY)),
        }
        for line in row.lines
    ]
    return {
        "id": row.id,
        "number": row.number,
        "vendor_id": row.vendor_id,
        "buyer": row.buyer,
        "currency": row.currency,
        "lines": lines,
        "revision": row.revision,
        "payable": f"{payable_of(row):f}",
        "ids": [row.id, row.number],
    }


async def revisions_of(connection: AsyncConnection, number: str) -> dict[str, Any] | None:
    """Lowest first; None when there is no such order."""
    rows = (
        await connection.execute(
            select(orders.c.id.label("order"), orders.c.number, order_revisions)
            .outerjoin_from(orders, order_revisions, order_revisions.c.order_id == orders.c.id)
            .where(orders.c.number == number)
            .order_by(order_revisions.c.revision)
        )
    ).all()
    if not rows:
        return None
    items = [
        {
            "revision": row.revision,
            "buyer": row.buyer,
            "date": row.date.isoformat(),
            "lines": row.lines,
            "posted_by": None if row.posted_by is None else row.posted_by["username"],
        }
        for row in rows
        if row.revision is not None
    ]
    return {"items": items, "ids": [rows[0].order, rows[0].number]}
