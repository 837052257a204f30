"""Bank changes on the wire."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from deskworld_erp.fields import Id, Long, Short, Value
from deskworld_erp.vendors.rules.bank_changes import Step

Status = Literal["PROPOSED", "CALLED_BACK", "VERIFIED", "REJECTED"]


class NewBankChange(Value):
    """`requested_from`: the address that the request came from."""

    account: Annotated[Short, Field(examples=["CH9300762011623852957"])]
    routing: Annotated[Short, Field(examples=["POFICHBEXXX"])]
    requested_from: Annotated[Short, Field(examples=["ap@kestrel.vendors.deskworld.example"])]
    comment: Long | None = None


class CallBack(Value):
    """`phone`: the number that was called, a contact's that was on record before the request. The answer no rejects."""

    phone: Annotated[Short, Field(examples=["+41 44 000 00 00"])]
    answer: Literal["yes", "no"]
    comment: Long | None = None


class Reasoned(Value):
    comment: Long | None = None


class CallRecord(Value):
    by: str
    at: datetime
    comment: str | None
    phone: str
    contact: str
    answer: Literal["yes", "no"]


class StepRecord(Value):
    by: str
    at: datetime
    comment: str | None


class BankChangeDetail(Value):
    """`rejection` is the call where it was the call that said no."""

    id: Id
    vendor_id: Id
    account_id: Id
    account: str
    routing: str
    requested_from: str
    proposed_by: str
    proposed_at: datetime
    status: Status
    call_back: CallRecord | None
    confirmation: StepRecord | None
    rejection: CallRecord | StepRecord | None
    ids: list[str]


class BankChangesView(Value):
    items: list[BankChangeDetail]
    next: str | None
    ids: list[str]


class BankChangeAnswer(Value):
    change_id: Id
    account_id: Id
    vendor_id: Id
    action: Step
    status: Status
    key: str


BODIES: Mapping[Step, type[NewBankChange | CallBack | Reasoned]] = {
    Step.PROPOSE: NewBankChange,
    Step.CALL_BACK: CallBack,
    Step.CONFIRM: Reasoned,
    Step.REJECT: Reasoned,
}
