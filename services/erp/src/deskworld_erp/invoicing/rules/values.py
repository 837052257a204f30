"""What the three-way match takes and gives.

A quantity that belongs to a PO line is in that line's own unit. Sequences number a vendor's invoices by arrival.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum


class Reason(StrEnum):
    DUPLICATE = "DUPLICATE"
    POSSIBLE_DUPLICATE = "POSSIBLE_DUPLICATE"
    VENDOR_BANK_CHANGED = "VENDOR_BANK_CHANGED"
    NO_PO = "NO_PO"
    CURRENCY_MISMATCH = "CURRENCY_MISMATCH"
    UOM_MISMATCH = "UOM_MISMATCH"
    ITEM_SUBSTITUTED = "ITEM_SUBSTITUTED"
    PRICE_VARIANCE = "PRICE_VARIANCE"
    NO_RECEIPT = "NO_RECEIPT"
    QTY_OVER_RECEIPT = "QTY_OVER_RECEIPT"
    UNPLANNED_CHARGE = "UNPLANNED_CHARGE"
    DOCUMENT_ARITHMETIC = "DOCUMENT_ARITHMETIC"


class Status(StrEnum):
    RECEIVED = "RECEIVED"
    MATCHED = "MATCHED"
    EXCEPTION = "EXCEPTION"
    APPROVED = "APPROVED"
    ON_HOLD = "ON_HOLD"
    REJECTED = "REJECTED"
    PAID = "PAID"


CHECKED_AGAIN = frozenset({Status.RECEIVED, Status.MATCHED, Status.EXCEPTION, Status.ON_HOLD})
"""The statuses in which an invoice is still matched when an input changes."""


@dataclass(frozen=True, slots=True)
class InvoiceLine:
    no: int
    po_line: int | None
    item: str
    unit: str
    quantity: Decimal
    price: Decimal
    stated_net: Decimal | None = None
    """The line amount as the vendor wrote it; None when the document carries none."""


@dataclass(frozen=True, slots=True)
class Invoice:
    id: str
    sequence: int
    number: str
    order_number: str | None
    """The order that it was assigned to, or else the one that it cites."""
    date: date
    currency: str
    lines: tuple[InvoiceLine, ...]
    tax: Decimal
    freight: Decimal
    stated_total: Decimal
    credits: Decimal = Decimal("0.00")
    cleared: frozenset[str] = frozenset()
    """Earlier invoices of which a controller said that this one repeats none."""


@dataclass(frozen=True, slots=True)
class OrderLine:
    no: int
    item: str
    unit: str
    quantity: Decimal
    price: Decimal


@dataclass(frozen=True, slots=True)
class Order:
    number: str
    currency: str
    lines: tuple[OrderLine, ...]


@dataclass(frozen=True, slots=True)
class OtherInvoice:
    """Another invoice of the same vendor, as far as the match looks at it."""

    id: str
    sequence: int
    number: str
    order_number: str | None
    date: date
    currency: str
    total: Decimal
    rejected: bool = False
    under_duplicate: bool = False
    counts: Mapping[int, Decimal] = field(default_factory=dict)
    """What it takes of each PO line, while it is live."""

    @property
    def live(self) -> bool:
        return not self.rejected and not self.under_duplicate


@dataclass(frozen=True, slots=True)
class Tolerances:
    """Zero means none allowed. Amounts are per currency; a currency without one is above every limit."""

    price_percent: Decimal
    price_amount: Mapping[str, Decimal]
    quantity: Decimal
    rounding_line: Mapping[str, Decimal]
    rounding_document: Mapping[str, Decimal]
    duplicate_window_days: int


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything the match looks at. The same inputs always give the same outcome."""

    invoice: Invoice
    order: Order | None
    accepted: Mapping[int, Decimal]
    """Per PO line, receipts less reversals."""
    others: tuple[OtherInvoice, ...]
    bank_change_unverified: bool
    tolerances: Tolerances


@dataclass(frozen=True, slots=True)
class Finding:
    reason: Reason
    summary: str
    """Plain words without anything that the vendor wrote."""
    lines: tuple[int, ...]
    amount: Decimal


@dataclass(frozen=True, slots=True)
class Outcome:
    findings: tuple[Finding, ...]
    masked: tuple[Finding, ...]
    """Found below the finding that ended the match; they stand beside that one."""
    ended_by: Reason | None
    payable: Decimal
    counts: Mapping[int, Decimal]
    """What the invoice bills of each PO line."""
    let_through: Mapping[int, Decimal]
    """What of it `payable` covers."""
