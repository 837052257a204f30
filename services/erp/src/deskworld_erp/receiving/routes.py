"""Goods at the office door: received, reversed, read."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from deskworld_erp.documents.described import body_of
from deskworld_erp.documents.intake import JSON, valid
from deskworld_erp.documents.keys import Keyed, PostingKey, once
from deskworld_erp.erp import Erp
from deskworld_erp.fields import PathId
from deskworld_erp.receiving.commands import receive, reverse
from deskworld_erp.receiving.reads import receipt
from deskworld_erp.receiving.schemas import GoodsReceived, NewReversal, ReceiptView
from deskworld_kit.answers import answer, not_found
from deskworld_kit.door import COMMAND_ERRORS, READ_ERRORS, CallerDependency
from deskworld_kit.identity import Principal


def routes(erp: Erp, caller: CallerDependency) -> APIRouter:
    router = APIRouter(prefix="/goods-receipts", tags=["goods receipts"])
    who = Annotated[Principal, Depends(caller)]
    posted = COMMAND_ERRORS | {201: {"model": ReceiptView}}

    @router.post("", status_code=201, responses=posted, openapi_extra=body_of(GoodsReceived))
    async def post_goods_receipt(request: Request, person: who, idempotency_key: PostingKey) -> Response:
        """Posts goods; invoices that bill the order are matched again."""
        content = await request.body()
        new = valid(GoodsReceived, content)
        keyed = Keyed(person, idempotency_key, "goods-receipts", content)
        body = await once(erp, keyed, lambda posting: receive(erp, posting, new))
        return Response(body, status_code=201, media_type=JSON)

    @router.get("/{receipt_id}", responses=READ_ERRORS | {200: {"model": ReceiptView}})
    async def get_goods_receipt(receipt_id: PathId, _: who) -> Response:
        """One receipt, or the reversal of one."""
        async with erp.read() as connection:
            found = await receipt(connection, receipt_id)
        if found is None:
            raise not_found("receipt", receipt_id=receipt_id)
        return answer(found)

    @router.post("/{receipt_id}/reversal", status_code=201, responses=posted, openapi_extra=body_of(NewReversal))
    async def reverse_goods_receipt(
        request: Request, receipt_id: PathId, person: who, idempotency_key: PostingKey
    ) -> Response:
        """Posts the exact negative of a receipt, as a document of its own."""
        content = await request.body()
        new = valid(NewReversal, content)
        keyed = Keyed(person, idempotency_key, f"goods-receipts/{receipt_id}/reversal", content)
        body = await once(erp, keyed, lambda posting: reverse(erp, posting, receipt_id, new))
        return Response(body, status_code=201, media_type=JSON)

    return router
