"""Invoices, exceptions and commands on the wire."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import AwareDatetime, Field, model_validator

from deskworld_erp.documents.schemas import StatedSums, TaxPart
from deskworld_erp.fields import WHOLE, Currency, Day, Id, Long, Money, Price, Quantity, Short, Unit, Value
from deskworld_erp.invoicing.rules.authority import Action
from deskworld_erp.invoicing.rules.duplicates import Resemblance
from deskworld_erp.invoicing.rules.values import Reason, Status
from deskworld_erp.vendors.bank_change_schemas import BankChangeAnswer


class InvoiceLineView(Value):
    no: int
    po_line: int | None
    item: Short
    description: str
    unit: Unit
    quantity: Quantity
    price: Price
    base_quantity: Quantity = Decimal("1.000")
    adjustment: Money = Decimal("0.00")
    net: Money
    stated_net: Money | None = None


class NoteView(Value):
    """A difference that is within what is tolerated, or that the rounding of a price explains."""

    identity: Annotated[str, Field(examples=["BR-CO-17"])]
    line: int | None
    difference: Money


class MaskedView(Value):
    id: Id
    reason: Reason
    summary: str
    lines: list[int]
    amount: Money


class HoldView(Value):
    id: Id
    why: str
    by: str
    since: datetime
    until: datetime | None
    released_at: datetime | None


class ExceptionView(Value):
    id: Id
    invoice_id: Id
    reason: Reason
    summary: str
    lines: list[int]
    amount: Money
    currency: Currency
    status: Literal["OPEN", "RESOLVED"]
    masked: list[MaskedView]
    holds: list[HoldView]


class ExceptionsView(Value):
    items: list[ExceptionView]
    next: str | None
    ids: list[str]


class InvoiceView(Value):
    id: Id
    number: Short
    vendor_id: Id
    po_reference: Short | None
    matched_po: Short | None
    date: Day
    currency: Currency
    lines: list[InvoiceLineView]
    tax: Money
    freight: Money
    allowance: Money
    rounding: Money
    prepaid: Money
    sums: StatedSums | None
    taxes: list[TaxPart] | None
    stated_total: Money
    computed_total: Money
    status: Status
    version: int
    approved_amount: Money | None
    credits: Money
    credited: dict[str, Quantity]
    """Per line of the invoice, what credit notes took back."""
    payable: Money
    notes: list[NoteView]
    sequence: int
    received_at: datetime
    exceptions: list[ExceptionView]
    ids: list[str]


class InvoicesView(Value):
    items: list[InvoiceView]
    next: str | None
    ids: list[str]


class SimilarInvoiceView(Value):
    id: Id
    number: Short
    date: Day
    total: Money
    currency: Currency
    status: Status
    po_reference: Short | None
    ids: list[str]


class SimilarView(Value):
    invoice: SimilarInvoiceView
    why: Resemblance


class SimilarsView(Value):
    items: list[SimilarView]
    ids: list[str]


class CommandBody(Value):
    """What every command takes; which of it an action needs stands with the action."""

    expected_version: Annotated[int, Field(ge=1, le=2**31 - 1, strict=True), WHOLE]
    settles: Annotated[tuple[Id, ...], Field(max_length=100)] = ()
    exception_id: Id | None = None
    hold_id: Id | None = None
    amount: Money | None = None
    against_po: Short | None = None
    until: Annotated[AwareDatetime | None, Field(examples=["2026-04-15T00:00:00+00:00"])] = None
    """When a hold ends by itself, in office time; null: when it is released."""
    comment: Long | None = None
    decision_id: Short | None = None


NEEDS_ONE_EXCEPTION = frozenset({Action.HOLD, Action.REQUEST_CREDIT_MEMO})


class ActionBody(Value):
    """A command's body together with its action: what the action needs is there."""

    action: Action
    body: CommandBody

    @model_validator(mode="after")
    def _complete(self) -> Self:
        body = self.body
        if self.action in NEEDS_ONE_EXCEPTION and body.exception_id is None:
            raise ValueError(f"exception_id: {self.action} is of one exception")
        if self.action is Action.RELEASE_HOLD and body.exception_id is None and body.hold_id is None:
            raise ValueError("exception_id or hold_id: release-hold names the hold")
        if self.action is Action.SHORT_PAY and body.amount is None:
            raise ValueError("amount: a short-pay says how much")
        if self.action is Action.ASSIGN_PO and body.against_po is None:
            raise ValueError("against_po: assign-po names the order")
        if self.action not in NEEDS_ONE_EXCEPTION and body.until is not None:
            raise ValueError(f"until: {self.action} places no hold")
        if self.action is Action.CLEAR_DUPLICATE and not (body.comment or "").strip():
            raise ValueError("comment: clear-duplicate gives its reason")
        return self


class CommandAnswer(Value):
    invoice_id: Id
    action: Action
    status: Status
    version: int
    amount: Money | None
    settled: list[Id]
    hold_id: Id | None
    decision_id: str | None
    key: str


class CommandOutcome(Value):
    key: str
    outcome: Literal["applied", "refused", "unknown"]
    version: int | None = None
    code: str | None = None
    answer: CommandAnswer | BankChangeAnswer | None = None
