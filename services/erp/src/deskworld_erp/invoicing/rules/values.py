"""What the three-way match takes and gives.

A quantity that belongs to a PO line is in that line's own unit. Sequences number a vendor's invoices by arrival.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum

from deskworld_erp.invoicing.rules.units import Pack


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
    base: Decimal = Decimal(1)
    """The price is for this many units (BT-149)."""
    adjustment: Decimal = Decimal("0.00")
    """The line's own charges less its allowances (BT-141 less BT-136)."""
    credited: Decimal = Decimal(0)
    """What credit notes took back of it, in its own unit."""


@dataclass(frozen=True, slots=True)
class Sums:
    """Totals that the document states beside its own parts (EN 16931 BT-106 … BT-112); None: it does not."""

    lines: Decimal | None = None
    allowances: Decimal | None = None
    charges: Decimal | None = None
    net: Decimal | None = None
    gross: Decimal | None = None


@dataclass(frozen=True, slots=True)
class TaxPart:
    """One VAT category and rate of the document (BG-23); `rate` in percent, None where the category has none."""

    category: str
    rate: Decimal | None
    taxable: Decimal
    tax: Decimal


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
    allowance: Decimal = Decimal("0.00")
    """Document level allowances (BT-92), taken off."""
    rounding: Decimal = Decimal("0.00")
    """BT-114: what the vendor adds so that the amount due is round."""
    prepaid: Decimal = Decimal("0.00")
    """BT-113: paid before, and no longer due."""
    sums: Sums = Sums()
    taxes: tuple[TaxPart, ...] = ()


@dataclass(frozen=True, slots=True)
class OrderLine:
    no: int
    item: str
    unit: str
    quantity: Decimal
    price: Decimal
    base: Decimal = Decimal(1)
    """The price is for this many units."""
    packs: tuple[Pack, ...] = ()
    """What this item's units hold of each other, beside what units are by definition."""

    def costs(self, quantity: Decimal) -> Decimal:
        """At the ordered price, not rounded to money."""
        return quantity * self.price / self.base


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
    returned: Mapping[int, Decimal] = field(default_factory=dict)
    """Per PO line, what reversals took back."""
    unreadable: frozenset[int] = frozenset()
    """PO lines that were received in a unit which does not convert into the ordered one."""


@dataclass(frozen=True, slots=True)
class Finding:
    reason: Reason
    summary: str
    """Plain words without anything that the vendor wrote."""
    lines: tuple[int, ...]
    amount: Decimal


@dataclass(frozen=True, slots=True)
class Note:
    """A difference inside the tolerance, or explained by the rounding of a price: told, and no exception.

    `identity`: the rule that holds only nearly: EN 16931's (BR-CO-…), PEPPOL-R120 for a line, TOTAL for ours.
    """

    identity: str
    line: int | None
    difference: Decimal


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
    notes: tuple[Note, ...] = ()
