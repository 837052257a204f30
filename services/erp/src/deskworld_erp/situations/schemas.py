"""A situation as the stage door takes it: a vendor with orders, receipts, bank changes and invoices, all or nothing."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from deskworld_erp.fields import Currency, Day, Id, Line, Long, Money, NotNegative, Price, Quantity, Short, Unit, Value
from deskworld_erp.invoicing.rules.values import Reason
from deskworld_erp.receiving.schemas import ReceivedLine
from deskworld_erp.vendors.schemas import Contact

Positive = Annotated[Quantity, Field(gt=0)]
UnitPrice = Annotated[Price, NotNegative]
Charge = Annotated[Money, NotNegative]


class NewAccount(Value):
    account: Short
    routing: Short
    status: Literal["ACTIVE", "PENDING_VERIFICATION", "SUPERSEDED", "REJECTED"] = "ACTIVE"


class NewVendor(Value):
    id: Id
    name: Short
    terms: Long
    contacts: Annotated[list[Contact], Field(max_length=100)]
    bank_accounts: Annotated[list[NewAccount], Field(max_length=100)]


class NewOrderLine(Value):
    item: Short
    description: Long
    unit: Unit
    quantity: Positive
    price: UnitPrice


class NewOrder(Value):
    ref: Short
    number: Short
    buyer: Short
    currency: Currency
    date: Day
    lines: Annotated[list[NewOrderLine], Field(min_length=1, max_length=2000)]


class SeededReceipt(Value):
    ref: Short
    order: Short
    date: Day
    lines: Annotated[list[ReceivedLine], Field(min_length=1, max_length=2000)]


class NewInvoiceLine(Value):
    po_line: Line | None = None
    item: Short
    description: Long
    unit: Unit
    quantity: Positive
    price: UnitPrice


class NewInvoice(Value):
    """As the vendor sent it. `stated_total` null: it states what it adds up to."""

    ref: Short
    number: Short
    po_reference: Short | None = None
    date: Day
    currency: Currency
    lines: Annotated[list[NewInvoiceLine], Field(min_length=1, max_length=2000)]
    tax: Charge = Decimal("0.00")
    freight: Charge = Decimal("0.00")
    stated_total: Charge | None = None
    settled: Literal["APPROVED"] | None = None


class NewBankChange(Value):
    ref: Short
    account: Short
    routing: Short
    requested_from: Short
    proposed_by: Short


class Situation(Value):
    vendor: NewVendor
    orders: Annotated[list[NewOrder], Field(max_length=1000)] = []  # noqa: RUF012 - pydantic copies it
    receipts: Annotated[list[SeededReceipt], Field(max_length=1000)] = []  # noqa: RUF012 - as above
    invoices: Annotated[list[NewInvoice], Field(max_length=1000)] = []  # noqa: RUF012 - as above
    bank_changes: Annotated[list[NewBankChange], Field(max_length=100)] = []  # noqa: RUF012 - as above
    faults: Annotated[list[dict[str, object]], Field(max_length=0)] = []  # noqa: RUF012 - as above


class SeededRecord(Value):
    kind: Literal["vendor", "order", "receipt", "invoice", "bank-change"]
    id: Id
    number: str | None
    forms: list[str]


class SeededException(Value):
    id: Id
    reason: Reason
    invoice: str
    invoice_id: Id
    amount: Money
    currency: Currency


class Seeded(Value):
    vendor_id: Id
    records: dict[str, SeededRecord]
    exceptions: list[SeededException]
