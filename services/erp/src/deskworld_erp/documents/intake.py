"""`POST /invoices`: what came, by its media type, posted as what it is."""

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from deskworld_erp.documents.arrivals import Source, post_credit_note, post_invoice
from deskworld_erp.documents.crediting import credit_of
from deskworld_erp.documents.parties import credited_invoice, seller_of
from deskworld_erp.documents.schemas import NewCreditNote, NewInvoice
from deskworld_erp.documents.ubl.document import read
from deskworld_erp.documents.ubl.refused import DocumentRefused
from deskworld_erp.erp import Erp
from deskworld_erp.posting import Posting
from deskworld_kit.problems import Problem

Model = TypeVar("Model", bound=BaseModel)
JSON = "application/json"
XML = frozenset({"application/xml", "text/xml"})


def media_type_of(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


async def take_invoice(erp: Erp, posting: Posting, source: Source, vendor_id: str | None) -> dict[str, Any]:
    """`vendor_id`: beside an XML document; our JSON says it itself. Raises Problem."""
    if source.media_type in XML:
        try:
            return await _take_xml(erp, posting, source, vendor_id)
        except DocumentRefused as refused:
            raise refused.problem() from refused
    new = valid(NewInvoice, source.content)
    if vendor_id not in {None, new.vendor_id}:
        detail = "vendor_id: the document says another one"
        raise Problem(400, "INVALID_REQUEST", detail, field="vendor_id", value=vendor_id, document=new.vendor_id)
    return await post_invoice(erp, posting, new.vendor_id, new, source)


async def take_credit_note(erp: Erp, posting: Posting, source: Source) -> dict[str, Any]:
    new = valid(NewCreditNote, source.content)
    return await post_credit_note(erp, posting, new.invoice_id, new, source)


async def _take_xml(erp: Erp, posting: Posting, source: Source, vendor_id: str | None) -> dict[str, Any]:
    document = read(source.content)
    seller = await seller_of(posting.connection, document, vendor_id)
    if document.credits is None:
        return await post_invoice(erp, posting, seller, document.content, source)
    invoice = await credited_invoice(posting.connection, document, seller)
    credit = credit_of(document.content, invoice, erp.tolerances)
    return await post_credit_note(erp, posting, invoice.id, credit, source)


def valid(model: type[Model], body: bytes) -> Model:
    """Raises Problem INVALID_REQUEST, which names the field."""
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "body"
        value = repr(first["input"])[:80] if first["loc"] else None
        raise Problem(400, "INVALID_REQUEST", f"{field}: {first['msg']}", field=field, value=value) from error
