"""Orders on the wire."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from deskworld_erp.fields import (
    WHOLE,
    Currency,
    Day,
    Id,
    Long,
    Money,
    Positive,
    Price,
    Quantity,
    Share,
    Short,
    Unit,
    UnitPrice,
    Value,
)


class NewOrderLine(Value):
    """`quantity` zero: the line is cancelled."""

    item: Short
    description: Long
    unit: Unit
    quantity: Share
    price: UnitPrice
    base_quantity: Positive = Decimal("1.000")


class OrderAsSent(Value):
    buyer: Short
    currency: Currency
    date: Day
    lines: Annotated[list[NewOrderLine], Field(min_length=1, max_length=2000)]


class NewOrder(OrderAsSent):
    vendor_id: Id
    number: Short


class NewRevision(OrderAsSent):
    """The whole order as it is to stand. The highest revision counts, whichever arrived last."""

    revision: Annotated[int, Field(ge=2, le=1_000_000, strict=True), WHOLE]


class OrderLineView(Value):
    no: int
    item: Short
    description: str
    unit: Unit
    quantity: Quantity
    price: Price
    base_quantity: Quantity = Decimal("1.000")
    accepted: Quantity
    billed: Quantity


class OrdersView(Value):
    items: list["OrderView"]
    next: str | None
    ids: list[str]


class OrderView(Value):
    id: Id
    number: Short
    vendor_id: Id
    buyer: Short
    currency: Currency
    lines: list[OrderLineView]
    revision: int
    payable: Money
    ids: list[str]


class RevisedLineView(Value):
    no: int
    item: Short
    description: str
    unit: Unit
    quantity: Quantity
    price: Price
    base_quantity: Quantity = Decimal("1.000")


class RevisionView(Value):
    """`posted_by` null: it was there from the beginning."""

    revision: int
    buyer: Short
    date: Day
    lines: list[RevisedLineView]
    posted_by: str | None


class RevisionsView(Value):
    items: list[RevisionView]
    ids: list[str]
