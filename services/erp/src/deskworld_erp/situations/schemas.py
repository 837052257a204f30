"""A situation as the stage door takes it: a vendor with orders, receipts, bank changes and invoices, all or nothing."""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from deskworld_erp.audit.schemas import AuditRow
from deskworld_erp.documents.schemas import CreditNoteView, InvoiceAsSent
from deskworld_erp.faults.schemas import SituationFault
from deskworld_erp.fields import Currency, Day, Id, Long, Money, Short, Value
from deskworld_erp.invoicing.rules.values import Reason
from deskworld_erp.invoicing.schemas import InvoiceView
from deskworld_erp.items.schemas import ItemUnits
from deskworld_erp.purchasing.schemas import OrderAsSent, OrderView
from deskworld_erp.receiving.schemas import ReceiptView, ReceivedLine
from deskworld_erp.situations.example import SITUATION
from deskworld_erp.vendors.schemas import Contact, Identifier, VendorView


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
    identifiers: Annotated[list[Identifier], Field(max_length=20)] = []  # noqa: RUF012 - pydantic copies it
    items: Annotated[list[ItemUnits], Field(max_length=1000)] = []  # noqa: RUF012 - as above


class SeededOrder(OrderAsSent):
    ref: Short
    number: Short


class SeededReceipt(Value):
    ref: Short
    order: Short
    date: Day
    lines: Annotated[list[ReceivedLine], Field(min_length=1, max_length=2000)]


class SeededInvoice(InvoiceAsSent):
    ref: Short
    settled: Literal["APPROVED"] | None = None


class NewBankChange(Value):
    ref: Short
    account: Short
    routing: Short
    requested_from: Short
    proposed_by: Short


class Situation(Value):
    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra={"examples": [SITUATION]})

    vendor: NewVendor
    orders: Annotated[list[SeededOrder], Field(max_length=1000)] = []  # noqa: RUF012 - pydantic copies it
    receipts: Annotated[list[SeededReceipt], Field(max_length=1000)] = []  # noqa: RUF012 - as above
    invoices: Annotated[list[SeededInvoice], Field(max_length=1000)] = []  # noqa: RUF012 - as above
    bank_changes: Annotated[list[NewBankChange], Field(max_length=100)] = []  # noqa: RUF012 - as above
    faults: Annotated[list[SituationFault], Field(max_length=100)] = []  # noqa: RUF012 - as above


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


class Redelivered(Value):
    event_id: Id


class WitnessView(Value):
    """Documents as at the office door; each list complete."""

    vendor: VendorView
    orders: list[OrderView]
    receipts: list[ReceiptView]
    invoices: list[InvoiceView]
    credit_notes: list[CreditNoteView]
    commands: list[dict[str, Any]]
    audit: list[AuditRow]
    outbox: list[dict[str, Any]]
    chain: dict[str, Any]
