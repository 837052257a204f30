"""Vendors on the wire."""

from datetime import datetime
from typing import Literal

from deskworld_erp.fields import Day, Id, Long, Short, Value


class Contact(Value):
    name: Short
    phone: Short
    mail: Short
    trusted_since: Day


class BankChangeView(Value):
    id: Id
    requested_from: str
    proposed_by: str
    proposed_at: datetime
    status: Literal["PROPOSED", "CALLED_BACK", "VERIFIED", "REJECTED"]


class BankAccountView(Value):
    id: Id
    account: str
    routing: str
    status: Literal["ACTIVE", "PENDING_VERIFICATION", "SUPERSEDED", "REJECTED"]
    change: BankChangeView | None


class VendorView(Value):
    id: Id
    name: Short
    terms: Long
    contacts: list[Contact]
    bank_accounts: list[BankAccountView]
    ids: list[str]
