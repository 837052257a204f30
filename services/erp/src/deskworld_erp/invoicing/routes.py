"""Invoices, exceptions and commands at the office door."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response

from deskworld_erp.erp import Erp
from deskworld_erp.fields import PathId
from deskworld_erp.invoicing import idempotency, reads
from deskworld_erp.invoicing.command_bodies import body_of_command
from deskworld_erp.invoicing.commands import Asked, carry_out
from deskworld_erp.invoicing.idempotency import MOST_KEY, IdempotencyKey
from deskworld_erp.invoicing.narrowing import WantedExceptions, WantedInvoices
from deskworld_erp.invoicing.rules.authority import Action
from deskworld_erp.invoicing.schemas import (
    CommandAnswer,
    CommandOutcome,
    ExceptionsView,
    ExceptionView,
    InvoicesView,
    InvoiceView,
    SimilarsView,
)
from deskworld_erp.invoicing.similar import similar_invoices
from deskworld_kit.answers import Cursor, Limit, answer, not_found, records_page, text_position
from deskworld_kit.door import COMMAND_ERRORS, LIST_ERRORS, READ_ERRORS, CallerDependency
from deskworld_kit.identity import Principal
from deskworld_kit.problems import MEDIA_TYPE

Key = Annotated[str, Path(min_length=1, max_length=MOST_KEY, pattern=r"^[\x20-\x7e]+$")]


def routes(erp: Erp, caller: CallerDependency) -> APIRouter:
    router = APIRouter()
    router.include_router(_invoices(erp, caller))
    router.include_router(_exceptions(erp, caller))
    return router


def _invoices(erp: Erp, caller: CallerDependency) -> APIRouter:
    router = APIRouter(prefix="/invoices", tags=["invoices"])
    who = Annotated[Principal, Depends(caller)]

    @router.get("", responses=LIST_ERRORS | {200: {"model": InvoicesView}})
    async def get_invoices(
        _: who, wanted: Annotated[WantedInvoices, Depends()], cursor: Cursor = None, limit: Limit = 50
    ) -> Response:
        """Invoices in the order in which they were received."""
        after = text_position(cursor)
        async with erp.read() as connection:
            found = await reads.invoices_after(connection, after, limit=limit + 1, wanted=wanted.narrowed())
        return answer(records_page(found, limit, lambda one: one["id"]))

    @router.get("/{invoice_id}", responses=READ_ERRORS | {200: {"model": InvoiceView}})
    async def get_invoice(invoice_id: PathId, _: who) -> Response:
        """An invoice with its lines, all its exceptions, the holds that stand, and what may be paid on it."""
        async with erp.read() as connection:
            found = await reads.invoice(connection, invoice_id)
        if found is None:
            raise not_found("invoice", invoice_id=invoice_id)
        return answer(found)

    @router.get("/{invoice_id}/similar", responses=READ_ERRORS | {200: {"model": SimilarsView}})
    async def get_similar_invoices(invoice_id: PathId, _: who) -> Response:
        """Earlier invoices of the vendor, not rejected, that this one may repeat, oldest first."""
        async with erp.read() as connection:
            found = await similar_invoices(connection, invoice_id, erp.tolerances)
        if found is None:
            raise not_found("invoice", invoice_id=invoice_id)
        return answer({"items": found, "ids": [form for one in found for form in one["invoice"]["ids"]]})

    return router


def _exceptions(erp: Erp, caller: CallerDependency) -> APIRouter:
    router = APIRouter(prefix="/match-exceptions", tags=["match exceptions"])
    who = Annotated[Principal, Depends(caller)]

    @router.get("", responses=LIST_ERRORS | {200: {"model": ExceptionsView}})
    async def get_match_exceptions(
        _: who, wanted: Annotated[WantedExceptions, Depends()], cursor: Cursor = None, limit: Limit = 50
    ) -> Response:
        """Exceptions in the order in which they were raised."""
        after = text_position(cursor)
        async with erp.read() as connection:
            found = await reads.exceptions_after(connection, after, limit=limit + 1, wanted=wanted.narrowed())
        return answer(records_page(found, limit, lambda one: one["id"]))

    @router.get("/{exception_id}", responses=READ_ERRORS | {200: {"model": ExceptionView}})
    async def get_match_exception(exception_id: PathId, _: who) -> Response:
        """One exception with the holds that stand on it."""
        async with erp.read() as connection:
            found = await reads.exception(connection, exception_id)
        if found is None:
            raise not_found("match exception", exception_id=exception_id)
        return answer(found)

    return router


def command_routes(erp: Erp, caller: CallerDependency) -> APIRouter:
    router = APIRouter(tags=["commands"])
    who = Annotated[Principal, Depends(caller)]

    def command(action: Action) -> None:
        @router.post(
            f"/invoices/{{invoice_id}}/{action}",
            name=action.replace("-", "_"),
            responses=COMMAND_ERRORS | {200: {"model": CommandAnswer}},
            openapi_extra=body_of_command(action),
        )
        async def carry_out_command(
            request: Request, invoice_id: PathId, person: who, idempotency_key: IdempotencyKey
        ) -> Response:
            """Carries out a command once per key: the same request again gets the same answer byte for byte."""
            body = await request.body()
            stored = await carry_out(
                erp, Asked(person, invoice_id, action, idempotency_key, body, request.scope["path"])
            )
            media_type = "application/json" if stored.applied else MEDIA_TYPE
            return Response(stored.body, status_code=stored.status, media_type=media_type)

    for action in Action:
        command(action)

    @router.get("/commands/{key}", responses=LIST_ERRORS | {200: {"model": CommandOutcome}})
    async def get_command(key: Key, person: who) -> Response:
        """What became of a key: applied, refused, or unknown."""
        async with erp.read() as connection:
            return answer(await idempotency.outcome(connection, person, key))

    return router
