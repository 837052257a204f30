"""Setting a vendor: names, terms, contacts and identifiers. Where it is paid changes by a bank change alone."""

from typing import Annotated, Any

from pydantic import Field
from sqlalchemy import bindparam
from sqlalchemy.dialects.postgresql import insert

from deskworld_erp.documents.authority import may
from deskworld_erp.erp import Erp
from deskworld_erp.events.messages import Cause
from deskworld_erp.fields import Long, Short, Value
from deskworld_erp.invoicing.book import load_book, lock_statement
from deskworld_erp.invoicing.matching import recheck
from deskworld_erp.invoicing.rules.authority import Duty
from deskworld_erp.posting import Posting
from deskworld_erp.vendors.reads import vendor
from deskworld_erp.vendors.schemas import Identifier
from deskworld_erp.vendors.tables import vendors

_LOCK = lock_statement(bindparam("vendor_id"))


class NewContact(Value):
    name: Short
    phone: Short
    mail: Short


class VendorAsSet(Value):
    """A contact that is new or changed is trusted from today on; one that stays as it was keeps its date."""

    name: Short
    terms: Long
    contacts: Annotated[list[NewContact], Field(max_length=100)]
    identifiers: Annotated[list[Identifier], Field(max_length=20)] = []  # noqa: RUF012 - pydantic copies it


async def set_vendor(erp: Erp, posting: Posting, vendor_id: str, new: VendorAsSet) -> dict[str, Any]:
    """Makes the vendor, or replaces what was set. Raises Problem NOT_AUTHORISED."""
    await may(erp, posting, Duty.SET_MASTER_DATA)
    first = {"id": vendor_id, "name": new.name, "terms": new.terms, "contacts": [], "at": posting.at}
    await posting.connection.execute(insert(vendors).values(first).on_conflict_do_nothing())
    await posting.lock(_LOCK, {"vendor_id": vendor_id})
    before = await vendor(posting.connection, vendor_id)
    known = [] if before is None else before["contacts"]
    contacts = [_dated(one, known, posting.at.date().isoformat()) for one in new.contacts]
    values = {
        "name": new.name,
        "terms": new.terms,
        "contacts": contacts,
        "identifiers": [one.model_dump() for one in new.identifiers],
    }
    await posting.connection.execute(vendors.update().where(vendors.c.id == vendor_id).values(values))
    posting.audit("vendor", vendor_id, vendor_id, "set", values | {"contacts": len(contacts)})
    book = await load_book(posting.connection, vendor_id, erp.tolerances)
    await recheck(posting, book, list(book.records), Cause("revision", vendor_id))
    found = await vendor(posting.connection, vendor_id)
    assert found is not None  # noqa: S101 - it was just written
    return found


def _dated(new: NewContact, known: list[dict[str, Any]], today: str) -> dict[str, Any]:
    wanted = new.model_dump()
    same = [one["trusted_since"] for one in known if {name: one[name] for name in wanted} == wanted]
    return wanted | {"trusted_since": same[0] if same else today}
