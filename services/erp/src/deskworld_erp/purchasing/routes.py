"""Orders at the office door: posted, revised, read."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from deskworld_erp.documents.described import body_of
from deskworld_erp.documents.intake import JSON, valid
from deskworld_erp.documents.keys import Keyed, PostingKey, once
from deskworld_erp.erp import Erp
from deskworld_erp.fields import Id, PathText, Short
from deskworld_erp.purchasing.commands import post_order, revise_order
from deskworld_erp.purchasing.reads import order_row, order_view, orders_after, revisions_of
from deskworld_erp.purchasing.schemas import NewOrder, NewRevision, OrdersView, OrderView, RevisionsView
from deskworld_erp.receiving.reads import receipts_of
from deskworld_erp.receiving.schemas import ReceiptsView
from deskworld_kit.answers import Cursor, Limit, answer, not_found, records_page, text_position
from deskworld_kit.door import COMMAND_ERRORS, LIST_ERRORS, READ_ERRORS, CallerDependency
from deskworld_kit.identity import Principal


def routes(erp: Erp, caller: CallerDependency) -> APIRouter:
    router = APIRouter()
    router.include_router(_reads(erp, caller))
    router.include_router(_posts(erp, caller))
    return router


def _reads(erp: Erp, caller: CallerDependency) -> APIRouter:
    router = APIRouter(prefix="/purchase-orders", tags=["purchase orders"])
    who = Annotated[Principal, Depends(caller)]

    @router.get("", responses=LIST_ERRORS | {200: {"model": OrdersView}})
    async def get_purchase_orders(
        _: who,
        vendor_id: Annotated[Id | None, Query()] = None,
        buyer: Annotated[Short | None, Query(description="the buyer's username")] = None,
        cursor: Cursor = None,
        limit: Limit = 50,
    ) -> Response:
        """Orders in the order in which they were posted."""
        after = text_position(cursor)
        async with erp.read() as connection:
            found = await orders_after(connection, after, limit=limit + 1, vendor_id=vendor_id, buyer=buyer)
        return answer(records_page(found, limit, lambda one: one["id"]))

    @router.get("/{number}", responses=READ_ERRORS | {200: {"model": OrderView}})
    async def get_purchase_order(number: PathText, _: who) -> Response:
        """What was ordered, accepted and billed, and what could be paid against it now."""
        async with erp.read() as connection:
            row = await order_row(connection, number)
        if row is None:
            raise not_found("order", number=number)
        return answer(order_view(row))

    @router.get("/{number}/receipts", responses=READ_ERRORS | {200: {"model": ReceiptsView}})
    async def get_receipts(number: PathText, _: who) -> Response:
        """Goods receipts of the order, oldest first."""
        async with erp.read() as connection:
            found = await receipts_of(connection, number)
        if found is None:
            raise not_found("order", number=number)
        return answer({"items": found, "ids": [form for one in found for form in one["ids"]]})

    @router.get("/{number}/revisions", responses=READ_ERRORS | {200: {"model": RevisionsView}})
    async def get_revisions(number: PathText, _: who) -> Response:
        """The order as it was posted and each time it was revised; the highest revision counts."""
        async with erp.read() as connection:
            found = await revisions_of(connection, number)
        if found is None:
            raise not_found("order", number=number)
        return answer(found)

    return router


def _posts(erp: Erp, caller: CallerDependency) -> APIRouter:
    router = APIRouter(prefix="/purchase-orders", tags=["purchase orders"])
    who = Annotated[Principal, Depends(caller)]
    order = COMMAND_ERRORS | {201: {"model": OrderView}}

    @router.post("", status_code=201, responses=order, openapi_extra=body_of(NewOrder))
    async def post_purchase_order(request: Request, person: who, idempotency_key: PostingKey) -> Response:
        """Posts an order; invoices that cite it are matched again."""
        content = await request.body()
        new = valid(NewOrder, content)
        keyed = Keyed(person, idempotency_key, "purchase-orders", content)
        body = await once(erp, keyed, lambda posting: post_order(erp, posting, new))
        return Response(body, status_code=201, media_type=JSON)

    @router.post("/{number}/revisions", status_code=201, responses=order, openapi_extra=body_of(NewRevision))
    async def revise_purchase_order(
        request: Request, number: PathText, person: who, idempotency_key: PostingKey
    ) -> Response:
        """Revises an order; invoices that bill it are matched again. The answer is the order as it stands."""
        content = await request.body()
        new = valid(NewRevision, content)
        keyed = Keyed(person, idempotency_key, f"purchase-orders/{number}/revisions", content)
        body = await once(erp, keyed, lambda posting: revise_order(erp, posting, number, new))
        return Response(body, status_code=201, media_type=JSON)

    return router
