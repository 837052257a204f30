"""Reads of orders: what was ordered, accepted and billed, and what could be paid against it now."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from sqlalchemy import Row, func, literal_column, select
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.fields import quantity_text
from deskworld_erp.invoicing.rules.amounts import NO_QUANTITY
from deskworld_erp.invoicing.rules.lines import counted
from deskworld_erp.invoicing.rules.payable import order_payable
from deskworld_erp.invoicing.rules.values import Order, OrderLine
from deskworld_erp.invoicing.tables import exceptions, invoices
from deskworld_erp.purchasing.tables import orders
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
ORDER = select(orders, RECEIVED.label("received"), _BILLED.label("billed"))


async def order_row(connection: AsyncConnection, number: str, *, vendor_id: str | None = None) -> Row[Any] | None:
    wanted = ORDER.where(orders.c.number == number)
    if vendor_id is not None:
        wanted = wanted.where(orders.c.vendor_id == vendor_id)
    return (await connection.execute(wanted)).first()


def order_value(row: Any) -> Order:
    return Order(row.number, row.currency, tuple(order_line(line) for line in row.lines))


def order_line(line: Mapping[str, Any]) -> OrderLine:
    return OrderLine(line["no"], line["item"], line["unit"], Decimal(line["quantity"]), Decimal(line["price"]))


def accepted_of(received: Iterable[Iterable[Mapping[str, Any]]]) -> Mapping[int, Decimal]:
    """Per order line, over all receipts of the order; reversals are negative."""
    return counted((line["line"], Decimal(line["accepted"])) for lines in received for line in lines)


def billed_of(counts: Iterable[Mapping[str, str]]) -> Mapping[int, Decimal]:
    return counted((int(number), Decimal(quantity)) for one in counts for number, quantity in one.items())


def payable_of(row: Row[Any]) -> Decimal:
    return order_payable(order_value(row), accepted_of(row.received), billed_of(row.billed))


def order_view(row: Row[Any]) -> dict[str, Any]:
    accepted, billed = accepted_of(row.received), billed_of(row.billed)
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
