"""Vendors at the office door."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from deskworld_erp.answers import Cursor, Limit, answer, not_found, number_position, page, tagged
from deskworld_erp.door import NOT_MODIFIED, READ_ERRORS, CallerDependency
from deskworld_erp.erp import Erp
from deskworld_erp.fields import PathId
from deskworld_erp.invoicing.reads import invoices_of_vendor
from deskworld_erp.invoicing.schemas import InvoicesView
from deskworld_erp.vendors.reads import vendor
from deskworld_erp.vendors.schemas import VendorView
from deskworld_kit.identity import Principal


def routes(erp: Erp, caller: CallerDependency) -> APIRouter:
    router = APIRouter(prefix="/vendors", tags=["vendors"])
    who = Annotated[Principal, Depends(caller)]

    @router.get("/{vendor_id}", responses=READ_ERRORS | NOT_MODIFIED | {200: {"model": VendorView}})
    async def get_vendor(request: Request, vendor_id: PathId, _: who) -> Response:
        """A vendor with contacts and bank accounts, and who asked to change them."""
        async with erp.read() as connection:
            found = await vendor(connection, vendor_id)
        if found is None:
            raise not_found("vendor", vendor_id=vendor_id)
        return tagged(request, found)

    @router.get("/{vendor_id}/invoices", responses=READ_ERRORS | {200: {"model": InvoicesView}})
    async def get_invoices_of_vendor(vendor_id: PathId, _: who, cursor: Cursor = None, limit: Limit = 50) -> Response:
        """The vendor's invoices in the order in which they were received."""
        after = number_position(cursor)
        async with erp.read() as connection:
            found = await invoices_of_vendor(connection, vendor_id, after=after, limit=limit + 1)
            if not found and await vendor(connection, vendor_id) is None:
                raise not_found("vendor", vendor_id=vendor_id)
        return answer(page(found, limit, lambda one: one["sequence"]))

    return router
