"""Vendors at the office door."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from deskworld_erp.erp import Erp
from deskworld_erp.fields import PathId, Short
from deskworld_erp.invoicing.reads import invoices_of_vendor
from deskworld_erp.invoicing.schemas import InvoicesView
from deskworld_erp.vendors.reads import vendor, vendors_after
from deskworld_erp.vendors.schemas import VendorsView, VendorView
from deskworld_kit.answers import Cursor, Limit, answer, not_found, number_position, records_page, text_position
from deskworld_kit.door import LIST_ERRORS, READ_ERRORS, CallerDependency
from deskworld_kit.identity import Principal


def routes(erp: Erp, caller: CallerDependency) -> APIRouter:
    router = APIRouter(prefix="/vendors", tags=["vendors"])
    who = Annotated[Principal, Depends(caller)]

    @router.get("", responses=LIST_ERRORS | {200: {"model": VendorsView}})
    async def get_vendors(
        _: who,
        name: Annotated[Short | None, Query(description="a part of the name")] = None,
        cursor: Cursor = None,
        limit: Limit = 50,
    ) -> Response:
        """Vendors by id."""
        after = text_position(cursor)
        async with erp.read() as connection:
            found = await vendors_after(connection, after, limit=limit + 1, name=name)
        return answer(records_page(found, limit, lambda one: one["id"]))

    @router.get("/{vendor_id}", responses=READ_ERRORS | {200: {"model": VendorView}})
    async def get_vendor(vendor_id: PathId, _: who) -> Response:
        """A vendor with contacts and bank accounts, and who asked to change them."""
        async with erp.read() as connection:
            found = await vendor(connection, vendor_id)
        if found is None:
            raise not_found("vendor", vendor_id=vendor_id)
        return answer(found)

    @router.get("/{vendor_id}/invoices", responses=READ_ERRORS | {200: {"model": InvoicesView}})
    async def get_invoices_of_vendor(vendor_id: PathId, _: who, cursor: Cursor = None, limit: Limit = 50) -> Response:
        """The vendor's invoices in the order in which they were received."""
        after = number_position(cursor)
        async with erp.read() as connection:
            found = await invoices_of_vendor(connection, vendor_id, after=after, limit=limit + 1)
            if not found and await vendor(connection, vendor_id) is None:
                raise not_found("vendor", vendor_id=vendor_id)
        return answer(records_page(found, limit, lambda one: one["sequence"]))

    return router
