"""The ERP's documents, as far as accounts payable reads them."""

from decimal import Decimal
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Document(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Masked(Document):
    id: str
    reason: str


class Hold(Document):
    id: str


class ExceptionDoc(Document):
    id: str
    reason: str
    amount: Decimal
    currency: str
    status: Literal["OPEN", "RESOLVED"]
    masked: tuple[Masked, ...]
    holds: tuple[Hold, ...]

    @property
    def held(self) -> bool:
        return bool(self.holds)


class InvoiceLine(Document):
    no: int
    po_line: int | None
    item: str
    unit: str
    quantity: Decimal
    price: Decimal
    base_quantity: Decimal = Decimal(1)


class Invoice(Document):
    id: str
    number: str
    vendor_id: str
    po_reference: str | None
    matched_po: str | None
    date: str
    currency: str
    lines: tuple[InvoiceLine, ...]
    stated_total: Decimal
    computed_total: Decimal
    status: str
    version: int
    credits: Decimal
    credited: dict[str, Decimal] = Field(default_factory=dict)
    """Quantities that credit notes took back, per line."""
    payable: Decimal
    sequence: int
    exceptions: tuple[ExceptionDoc, ...]
    ids: tuple[str, ...]

    @property
    def open(self) -> tuple[ExceptionDoc, ...]:
        return tuple(one for one in self.exceptions if one.status == "OPEN")

    @property
    def order_number(self) -> str | None:
        return self.matched_po or self.po_reference

    @property
    def to_approve(self) -> Decimal:
        """What approve-variance would pay."""
        return min(self.computed_total, self.stated_total) - self.credits


class OrderLine(Document):
    no: int
    item: str
    unit: str
    quantity: Decimal
    price: Decimal
    base_quantity: Decimal = Decimal(1)
    accepted: Decimal
    billed: Decimal


class Order(Document):
    id: str
    number: str
    vendor_id: str
    buyer: str
    currency: str
    lines: tuple[OrderLine, ...]
    payable: Decimal
    ids: tuple[str, ...]

    def line(self, no: int | None) -> OrderLine | None:
        return next((line for line in self.lines if line.no == no), None)


class Contact(Document):
    name: str
    mail: str


class BankChange(Document):
    id: str
    status: str


class BankAccount(Document):
    id: str
    status: str
    change: BankChange | None


class Vendor(Document):
    id: str
    name: str
    contacts: tuple[Contact, ...]
    bank_accounts: tuple[BankAccount, ...]
    ids: tuple[str, ...]

    @property
    def pending(self) -> tuple[BankAccount, ...]:
        return tuple(account for account in self.bank_accounts if account.status == "PENDING_VERIFICATION")


class SimilarInvoice(Document):
    id: str
    number: str
    ids: tuple[str, ...]


class Similar(Document):
    invoice: SimilarInvoice
    why: str


class Items(Document):
    """A list as the ERP answers it; `items` are documents."""

    items: tuple[dict[str, Any], ...]
    ids: tuple[str, ...] = ()
