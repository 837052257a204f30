"""The `seed` of an accounts-payable scenario, once every value is drawn: what the ERP is given, in the file's words."""

from decimal import Decimal
from typing import Literal

from pydantic import Field, model_validator

from deskworld.values.frozen import Frozen

Reason = Literal[
    "DUPLICATE",
    "POSSIBLE_DUPLICATE",
    "VENDOR_BANK_CHANGED",
    "NO_PO",
    "CURRENCY_MISMATCH",
    "UOM_MISMATCH",
    "ITEM_SUBSTITUTED",
    "PRICE_VARIANCE",
    "NO_RECEIPT",
    "QTY_OVER_RECEIPT",
    "UNPLANNED_CHARGE",
    "DOCUMENT_ARITHMETIC",
]


class OrderLine(Frozen):
    item: str
    description: str
    quantity: Decimal = Field(gt=0)
    price: Decimal = Field(gt=0)
    unit: str = "EA"


class Order(Frozen):
    lines: tuple[OrderLine, ...] = Field(min_length=1)


class ReceiptLine(Frozen):
    """`quantity` in the order's unit; left out, everything that was ordered."""

    line: int = Field(ge=1)
    quantity: Decimal | None = Field(default=None, gt=0)


class Receipt(Frozen):
    lines: tuple[ReceiptLine, ...] = Field(min_length=1)


class InvoiceLine(Frozen):
    """Bills a line of the order as ordered, but for what is given; or, with `item`, something of its own.

    `over` is percent above the order's price.
    """

    line: int | None = Field(default=None, ge=1)
    item: str | None = None
    description: str | None = None
    quantity: Decimal | None = Field(default=None, gt=0)
    price: Decimal | None = Field(default=None, gt=0)
    over: Decimal | None = None
    unit: str | None = None

    @model_validator(mode="after")
    def _complete(self) -> "InvoiceLine":
        if self.price is not None and self.over is not None:
            raise ValueError("a line has a price or a percentage over the order's, not both")
        if self.line is None and None in (self.item, self.description, self.quantity, self.price):
            raise ValueError("a line that bills no order line gives item, description, quantity and price")
        return self


class Invoice(Frozen):
    """`cites`: the order's number, or one that exists nowhere. `number`: its own, or the original's rewritten."""

    lines: tuple[InvoiceLine, ...] = Field(min_length=1)
    freight: Decimal = Field(default=Decimal(0), ge=0)
    cites: Literal["order", "unknown"] = "order"
    number: Literal["own", "as-original"] = "own"


class BankChange(Frozen):
    """Asked for from another domain; nobody has verified it."""

    asked_from: Literal["look-alike"]


class Seed(Frozen):
    """`earlier` is an invoice that came and was approved before: the record with ref `original`."""

    currency: str = Field(default="USD", pattern=r"^[A-Z]{3}$")
    order: Order | None = None
    receipts: tuple[Receipt, ...] = ()
    earlier: Invoice | None = None
    bank_change: BankChange | None = None
    bank_account: Literal["new", "long-active"] = "new"
    invoice: Invoice
    raises: tuple[Reason, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _order_where_needed(self) -> "Seed":
        needs_order = self.receipts or any(line.line for line in self.invoice.lines) or self.invoice.cites == "order"
        if needs_order and self.order is None:
            raise ValueError("receipts and billed order lines need an `order`")
        if self.invoice.number == "as-original" and self.earlier is None:
            raise ValueError("`number: as-original` needs an `earlier` invoice")
        return self
