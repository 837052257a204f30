"""Invoices and credit notes as they are posted, in our JSON."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from deskworld_erp.fields import (
    Charge,
    Currency,
    Day,
    Id,
    Line,
    Long,
    Money,
    Positive,
    PositiveMoney,
    Quantity,
    Share,
    Short,
    Unit,
    UnitPrice,
    Value,
)

ONE = Decimal("1.000")


class NewInvoiceLine(Value):
    """As the vendor wrote it. A negative quantity takes goods back; `net` null: the line states no amount."""

    po_line: Line | None = None
    item: Short
    description: Long
    unit: Unit
    quantity: Quantity
    price: UnitPrice
    base_quantity: Positive = ONE
    adjustment: Money = Decimal("0.00")
    net: Money | None = None


class StatedSums(Value):
    """Totals that the document states beside its parts (EN 16931 BT-106, 107, 108, 109, 112)."""

    lines: Money | None = None
    allowances: Money | None = None
    charges: Money | None = None
    net: Money | None = None
    gross: Money | None = None


class TaxPart(Value):
    """One VAT category and rate (BG-23); rate in percent."""

    category: Annotated[str, Field(min_length=1, max_length=3, pattern=r"^[A-Z]+$")]
    rate: Share | None = None
    taxable: Money
    tax: Money


class InvoiceAsSent(Value):
    """`stated_total` null: it states what it adds up to."""

    number: Short
    po_reference: Short | None = None
    date: Day
    currency: Currency
    lines: Annotated[list[NewInvoiceLine], Field(min_length=1, max_length=2000)]
    tax: Charge = Decimal("0.00")
    freight: Charge = Decimal("0.00")
    allowance: Charge = Decimal("0.00")
    rounding: Money = Decimal("0.00")
    prepaid: Charge = Decimal("0.00")
    stated_total: Charge | None = None
    sums: StatedSums | None = None
    taxes: Annotated[list[TaxPart], Field(max_length=100)] | None = None


class NewInvoice(InvoiceAsSent):
    vendor_id: Id


class CreditedLine(Value):
    """`quantity` of the invoice's line is billed no longer, in that line's unit."""

    line: Line
    quantity: Positive


class CreditAsSent(Value):
    """`lines`: the goods that it takes back; none where it corrects a price."""

    number: Short
    date: Day
    currency: Currency
    amount: PositiveMoney
    lines: Annotated[list[CreditedLine], Field(max_length=2000)] = []  # noqa: RUF012 - pydantic copies it


class NewCreditNote(CreditAsSent):
    invoice_id: Id


class CreditNoteView(Value):
    id: Id
    number: Short
    vendor_id: Id
    invoice_id: Id
    date: Day
    currency: Currency
    amount: Money
    lines: list[CreditedLine]
    ids: list[str]


class CreditNotesView(Value):
    items: list[CreditNoteView]
    ids: list[str]


class Posted(Value):
    """What became of a document that was posted."""

    kind: Literal["invoice", "credit-note"]
    id: Id
    number: Short
    vendor_id: Id
    invoice_id: Id
    """Of the invoice itself, or of the one that was credited."""
    status: str
    version: int
    exceptions: list[Id]
    """Those that are open now."""
    ids: list[str]
