"""Invoices and credit notes come in at the office door, and are read back as they came."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from sqlalchemy import select

from deskworld_erp.crediting import reads
from deskworld_erp.documents.arrivals import Source
from deskworld_erp.documents.described import body_of
from deskworld_erp.documents.intake import JSON, XML, media_type_of, take_credit_note, take_invoice
from deskworld_erp.documents.keys import Keyed, PostingKey, once
from deskworld_erp.documents.schemas import CreditNotesView, CreditNoteView, NewCreditNote, NewInvoice, Posted
from deskworld_erp.documents.tables import source_documents
from deskworld_erp.erp import Erp
from deskworld_erp.fields import Id, PathId
from deskworld_kit.answers import answer, not_found
from deskworld_kit.door import COMMAND_ERRORS, READ_ERRORS, CallerDependency
from deskworld_kit.identity import Principal

AS_IT_CAME: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "byte for byte as it was posted, in its own media type",
        "content": {name: {"schema": {"type": "string", "format": "binary"}} for name in (*sorted(XML), JSON)},
    }
}
VendorId = Annotated[Id | None, Query(description="whose document it is, where the document alone does not say")]


def routes(erp: Erp, caller: CallerDependency) -> APIRouter:
    router = APIRouter()
    router.include_router(_invoices(erp, caller))
    router.include_router(_credit_notes(erp, caller))
    return router


def _invoices(erp: Erp, caller: CallerDependency) -> APIRouter:
    router = APIRouter(prefix="/invoices", tags=["invoices"])
    who = Annotated[Principal, Depends(caller)]

    @router.post(
        "",
        status_code=201,
        responses=COMMAND_ERRORS | {201: {"model": Posted}},
        openapi_extra=body_of(NewInvoice, xml=True),
    )
    async def post_invoice(
        request: Request, person: who, idempotency_key: PostingKey, vendor_id: VendorId = None
    ) -> Response:
        """Takes an invoice in our JSON, or a UBL 2.1 invoice or credit note (EN 16931, Peppol BIS Billing 3)."""
        content = await request.body()
        source = Source(content, media_type_of(request.headers.get("content-type", JSON)))
        keyed = Keyed(person, idempotency_key, f"invoices?{vendor_id or ''} {source.media_type}", content)
        return _posted(await once(erp, keyed, lambda posting: take_invoice(erp, posting, source, vendor_id)))

    @router.get("/{invoice_id}/document", responses=READ_ERRORS | AS_IT_CAME, response_class=Response)
    async def get_document_of_invoice(invoice_id: PathId, _: who) -> Response:
        """The invoice as it came."""
        return await _document(erp, invoice_id)

    @router.get("/{invoice_id}/credit-notes", responses=READ_ERRORS | {200: {"model": CreditNotesView}})
    async def get_credit_notes_of_invoice(invoice_id: PathId, _: who) -> Response:
        """What was credited on the invoice, oldest first."""
        async with erp.read() as connection:
            found = await reads.credit_notes_on(connection, invoice_id)
        if found is None:
            raise not_found("invoice", invoice_id=invoice_id)
        return answer({"items": found, "ids": [form for one in found for form in one["ids"]]})

    return router


def _credit_notes(erp: Erp, caller: CallerDependency) -> APIRouter:
    router = APIRouter(prefix="/credit-notes", tags=["credit notes"])
    who = Annotated[Principal, Depends(caller)]

    @router.post(
        "",
        status_code=201,
        responses=COMMAND_ERRORS | {201: {"model": Posted}},
        openapi_extra=body_of(NewCreditNote),
    )
    async def post_credit_note(request: Request, person: who, idempotency_key: PostingKey) -> Response:
        """Books a credit note on an invoice, which is matched again. It is netted against nothing else."""
        content = await request.body()
        keyed = Keyed(person, idempotency_key, "credit-notes", content)
        return _posted(await once(erp, keyed, lambda posting: take_credit_note(erp, posting, Source(content, JSON))))

    @router.get("/{credit_note_id}", responses=READ_ERRORS | {200: {"model": CreditNoteView}})
    async def get_credit_note(credit_note_id: PathId, _: who) -> Response:
        """One credit note, with the goods that it takes back."""
        async with erp.read() as connection:
            found = await reads.credit_note(connection, credit_note_id)
        if found is None:
            raise not_found("credit note", credit_note_id=credit_note_id)
        return answer(found)

    @router.get("/{credit_note_id}/document", responses=READ_ERRORS | AS_IT_CAME, response_class=Response)
    async def get_document_of_credit_note(credit_note_id: PathId, _: who) -> Response:
        """The credit note as it came."""
        return await _document(erp, credit_note_id)

    return router


async def _document(erp: Erp, record_id: str) -> Response:
    async with erp.read() as connection:
        wanted = select(source_documents).where(source_documents.c.record_id == record_id)
        row = (await connection.execute(wanted)).first()
    if row is None:
        raise not_found("document", record_id=record_id)
    # it is somebody else's text: never to be run by whoever opens it in a browser
    headers = {
        "Content-Disposition": f'attachment; filename="{record_id}"',
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "ETag": f'"{row.sha256}"',
    }
    return Response(bytes(row.content), media_type=row.media_type, headers=headers)


def _posted(body: bytes) -> Response:
    return Response(body, status_code=201, media_type=JSON)
