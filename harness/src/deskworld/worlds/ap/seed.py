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
    """`description` left out: the world's own for that item."""

    item: str
    description: str | None = None
    quantity: Decimal = Field(gt=0)
    price: Decimal = Field(gt=0)
    unit: str = "EA"


class Order(Frozen):
    lines: tuple[OrderLine, ...] = Field(min_length=1)


class ReceiptLine(Frozen):
    """`quantity` in the order's unit, or a `share` of what was ordered; with neither, everything that has not come."""

    line: int = Field(ge=1)
    quantity: Decimal | None = Field(default=None, gt=0)
    share: Decimal | None = Field(default=None, gt=0, le=1)

    @model_validator(mode="after")
    def _one_measure(self) -> "ReceiptLine":
        if self.quantity is not None and self.share is not None:
            raise ValueError("a line has a quantity or a share of the order's, not both")
        return self


class Receipt(Frozen):
    lines: tuple[ReceiptLine, ...] = Field(min_length=1)


class InvoiceLine(Frozen):
    """Bills a line of the order as ordered, but for what is given; or, with `item`, something of its own.

    `over` is percent above the order's price, `share` a part of its quantity, `substituted` the item that the world
    knows as a substitute of the ordered one. `description` may hold placeholders.
    """

    line: int | None = Field(default=None, ge=1)
    item: str | None = None
    description: str | None = None
    quantity: Decimal | None = Field(default=None, gt=0)
    price: Decimal | None = Field(default=None, gt=0)
    over: Decimal | None = None
    share: Decimal | None = Field(default=None, gt=0, le=1)
    substituted: bool = False
    unit: str | None = None

    @model_validator(mode="after")
    def _complete(self) -> "InvoiceLine":
        if self.price is not None and self.over is not None:
            raise ValueError("a line has a price or a percentage over the order's, not both")
        if self.quantity is not None and self.share is not None:
            raise ValueError("a line has a quantity or a share of the order's, not both")
        if self.line is None and None in (self.item, self.quantity, self.price):
            raise ValueError("a line that bills no order line gives item, quantity and price")
        if self.substituted and (self.line is None or self.item is not None):
            raise ValueError("a substituted line bills an order line, and its item is the substitute")
        return self


class Worded(Frozen):
    """A number that is a sentence; it may hold placeholders."""

    reads: str = Field(min_length=1, max_length=200)


class Invoice(Frozen):
    """`cites`: the order's number, or one that exists nowhere. `number`: its own, the original's rewritten, or words.
    `days` after the order's date; left out, drawn."""

    lines: tuple[InvoiceLine, ...] = Field(min_length=1)
    freight: Decimal = Field(default=Decimal(0), ge=0)
    cites: Literal["order", "unknown"] = "order"
    number: Literal["own", "as-original"] | Worded = "own"
    days: int | None = Field(default=None, ge=14, le=60)


class BankChange(Frozen):
    """Asked for from another domain; nobody has verified it."""

    asked_from: Literal["look-alike"]


class Fault(Frozen):
    """What is wrong with the ERP: calls of the office door that fail or are slow. `scope` vendor: this case's records;
    all: everybody's, and the case runs alone."""

    kind: Literal["latency", "status"]
    method: Literal["GET", "POST"] | None = None
    route: str | None = None
    rate: Decimal = Field(default=Decimal(1), gt=0, le=1)
    milliseconds: int | None = Field(default=None, gt=0)
    status: Literal[429, 500, 503] | None = None
    retry_after: int | None = Field(default=None, ge=0)
    scope: Literal["vendor", "all"] = "vendor"


class Seed(Frozen):
    """`earlier` is an invoice that came and was approved before: the record with ref `original`.

    `arrives`: goods that a clerk posts once the case is on hold.
    """

    currency: str = Field(default="USD", pattern=r"^[A-Z]{3}$")
    order: Order | None = None
    receipts: tuple[Receipt, ...] = ()
    earlier: Invoice | None = None
    bank_change: BankChange | None = None
    bank_account: Literal["new", "long-active"] = "new"
    invoice: Invoice
    arrives: Receipt | None = None
    faults: tuple[Fault, ...] = ()
    raises: tuple[Reason, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _order_where_needed(self) -> "Seed":
        needs_order = (
            self.receipts
            or self.arrives
            or any(line.line for line in self.invoice.lines)
            or self.invoice.cites == "order"
        )
        if needs_order and self.order is None:
            raise ValueError("receipts and billed order lines need an `order`")
        if self.invoice.number == "as-original" and self.earlier is None:
            raise ValueError("`number: as-original` needs an `earlier` invoice")
        return self
