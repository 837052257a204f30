"""Orders and their receipts at the office door."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from deskworld_erp.answers import answer, not_found, tagged
from deskworld_erp.door import NOT_MODIFIED, READ_ERRORS, CallerDependency
from deskworld_erp.erp import Erp
from deskworld_erp.fields import PathText
from deskworld_erp.purchasing.reads import order_row, order_view
from deskworld_erp.purchasing.schemas import OrderView
from deskworld_erp.receiving.reads import receipts_of
from deskworld_erp.receiving.schemas import ReceiptsView
from deskworld_kit.identity import Principal


def routes(erp: Erp, caller: CallerDependency) -> APIRouter:
    router = APIRouter(prefix="/purchase-orders", tags=["purchase orders"])
    who = Annotated[Principal, Depends(caller)]

    @router.get("/{number}", responses=READ_ERRORS | NOT_MODIFIED | {200: {"model": OrderView}})
    async def get_purchase_order(request: Request, number: PathText, _: who) -> Response:
        """What was ordered, accepted and billed, and what could be paid against it now."""
        async with erp.read() as connection:
            row = await order_row(connection, number)
        if row is None:
            raise not_found("order", number=number)
        return tagged(request, order_view(row))

    @router.get("/{number}/receipts", responses=READ_ERRORS | {200: {"model": ReceiptsView}})
    async def get_receipts(number: PathText, _: who) -> Response:
        """Goods receipts of the order, oldest first."""
        async with erp.read() as connection:
            found = await receipts_of(connection, number)
        if found is None:
            raise not_found("order", number=number)
        return answer({"items": found, "ids": [form for one in found for form in one["ids"]]})

    return router
