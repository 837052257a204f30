"""Vendors on the wire."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import StringConstraints

from deskworld_erp.fields import Day, Id, Long, Short, Value


class Contact(Value):
    name: Short
    phone: Short
    mail: Short
    trusted_since: Day


class Identifier(Value):
    """What documents name the vendor by: `VAT` (BT-31), `LEGAL` (BT-30), `GLN` or another scheme of BT-29 or BT-34."""

    scheme: Annotated[str, StringConstraints(pattern=r"^[A-Z0-9:]{1,20}$")]
    value: Short


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
    identifiers: list[Identifier]
    ids: list[str]


class VendorsView(Value):
    items: list[VendorView]
    next: str | None
    ids: list[str]
