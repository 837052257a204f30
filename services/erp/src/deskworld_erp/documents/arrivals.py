"""A document arrives: an invoice is recorded, matched and told; a credit note is booked. Its bytes are kept."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sqlalchemy import bindparam, func, select

from deskworld_erp.crediting.commands import book_credit_note
from deskworld_erp.documents.authority import may
from deskworld_erp.documents.schemas import CreditAsSent, InvoiceAsSent
from deskworld_erp.documents.tables import source_documents
from deskworld_erp.erp import Erp
from deskworld_erp.events.messages import Cause
from deskworld_erp.invoicing.arriving import received
from deskworld_erp.invoicing.book import load_book, lock_statement
from deskworld_erp.invoicing.matching import Change, publish_changed, publish_exceptions, raised_row
from deskworld_erp.invoicing.reads import invoice
from deskworld_erp.invoicing.rules.authority import Duty
from deskworld_erp.invoicing.tables import exceptions, invoices
from deskworld_erp.posting import Posting
from deskworld_kit.answers import not_found

_LOCK = lock_statement(bindparam("vendor_id"))


@dataclass(frozen=True, slots=True)
class Source:
    """A document as it came."""

    content: bytes
    media_type: str


async def post_invoice(
    erp: Erp, posting: Posting, vendor_id: str, new: InvoiceAsSent, source: Source
) -> dict[str, Any]:
    """The invoice as it stands then. Raises Problem: NOT_FOUND, NOT_AUTHORISED, INVALID_REQUEST."""
    if await posting.lock(_LOCK, {"vendor_id": vendor_id}) is None:
        raise not_found("vendor", vendor_id=vendor_id)
    await may(erp, posting, Duty.POST_DOCUMENT)
    connection = posting.connection
    last = select(func.coalesce(func.max(invoices.c.sequence), 0)).where(invoices.c.vendor_id == vendor_id)
    sequence = (await connection.execute(last)).scalar_one() + 1
    cited = [new.po_reference.strip()] if new.po_reference else []
    book = await load_book(connection, vendor_id, erp.tolerances, orders_too=cited)
    record = received(book, sequence, new, at=posting.at)
    change = Change(None, record)
    await connection.execute(invoices.insert(), record.columns())
    if change.raised:
        await connection.execute(exceptions.insert(), [raised_row(posting, record, one) for one in change.raised])
    await _keep(posting, record.id, vendor_id, source)
    detail = change.detail() | {"number": record.number, "sha256": _digest(source)}
    posting.audit("invoice", record.id, vendor_id, "receive", detail)
    publish_exceptions(posting, change, Cause("invoice", record.id))
    publish_changed(posting, record, "receive", None)
    found = await invoice(connection, record.id)
    assert found is not None  # noqa: S101 - it was just written
    return posted("invoice", found, found)


async def post_credit_note(
    erp: Erp, posting: Posting, invoice_id: str, new: CreditAsSent, source: Source
) -> dict[str, Any]:
    """Raises Problem: NOT_FOUND, NOT_AUTHORISED, INVALID_REQUEST, INVALID_AMOUNT, ALREADY_EXISTS."""
    note = await book_credit_note(erp, posting, invoice_id, new)
    await _keep(posting, note["id"], note["vendor_id"], source)
    found = await invoice(posting.connection, invoice_id)
    assert found is not None  # noqa: S101 - a credit note was booked on it
    return posted("credit-note", note, found)


def posted(kind: str, document: dict[str, Any], on: dict[str, Any]) -> dict[str, Any]:
    """`on`: the invoice itself, or the one that was credited."""
    return {
        "kind": kind,
        "id": document["id"],
        "number": document["number"],
        "vendor_id": document["vendor_id"],
        "invoice_id": on["id"],
        "status": on["status"],
        "version": on["version"],
        "exceptions": [one["id"] for one in on["exceptions"] if one["status"] == "OPEN"],
        "ids": document["ids"],
    }


async def _keep(posting: Posting, record_id: str, vendor_id: str, source: Source) -> None:
    row = {"record_id": record_id, "vendor_id": vendor_id, "media_type": source.media_type, "at": posting.at}
    content = {"sha256": _digest(source), "content": source.content}
    await posting.connection.execute(source_documents.insert().values(row | content))


def _digest(source: Source) -> str:
    return sha256(source.content).hexdigest()
