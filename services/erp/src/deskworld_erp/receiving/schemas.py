"""Goods receipts on the wire."""

from decimal import Decimal
from typing import Annotated, Self

from pydantic import Field, model_validator

from deskworld_erp.fields import Day, Id, Line, Positive, Quantity, Share, Short, Unit, Value


class ReceiptLineView(Value):
    line: int
    unit: Unit
    quantity: Quantity
    accepted: Quantity
    rejected: Quantity


class ReceiptView(Value):
    id: Id
    po_number: Short
    date: Day
    lines: list[ReceiptLineView]
    reverses: Id | None
    ids: list[str]


class ReceiptsView(Value):
    items: list[ReceiptView]
    ids: list[str]


class ReceivedLine(Value):
    """`quantity` came; `rejected` of it was not accepted. `unit` null: in the order line's unit."""

    line: Line
    quantity: Positive
    rejected: Share = Decimal("0.000")
    unit: Unit | None = None

    @model_validator(mode="after")
    def _no_more_rejected_than_came(self) -> Self:
        if self.rejected > self.quantity:
            raise ValueError("rejected is above quantity")
        return self


class GoodsReceived(Value):
    po_number: Short
    date: Day
    lines: Annotated[list[ReceivedLine], Field(min_length=1, max_length=2000)]


class NewReversal(Value):
    """The exact negative of a receipt."""

    date: Day
    why: Short
