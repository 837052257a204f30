"""Vendors and the units of their items, set at the office door."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from deskworld_erp.documents.described import body_of
from deskworld_erp.documents.intake import JSON, valid
from deskworld_erp.documents.keys import Keyed, PostingKey, once
from deskworld_erp.erp import Erp
from deskworld_erp.fields import PathId, PathText
from deskworld_erp.items.commands import set_item_units
from deskworld_erp.items.reads import items_of
from deskworld_erp.items.schemas import ItemsView, ItemUnitsView, NewItemUnits
from deskworld_erp.vendors.schemas import VendorView
from deskworld_erp.vendors.setting import VendorAsSet, set_vendor
from deskworld_kit.answers import answer, not_found
from deskworld_kit.door import COMMAND_ERRORS, READ_ERRORS, CallerDependency
from deskworld_kit.identity import Principal


def routes(erp: Erp, caller: CallerDependency) -> APIRouter:
    router = APIRouter(prefix="/vendors", tags=["vendors"])
    who = Annotated[Principal, Depends(caller)]

    @router.put(
        "/{vendor_id}", responses=COMMAND_ERRORS | {200: {"model": VendorView}}, openapi_extra=body_of(VendorAsSet)
    )
    async def put_vendor(request: Request, vendor_id: PathId, person: who, idempotency_key: PostingKey) -> Response:
        """Sets a vendor's names, terms, contacts and identifiers; where it is paid changes by a bank change alone."""
        content = await request.body()
        new = valid(VendorAsSet, content)
        keyed = Keyed(person, idempotency_key, f"vendors/{vendor_id}", content)
        body = await once(erp, keyed, lambda posting: set_vendor(erp, posting, vendor_id, new))
        return Response(body, media_type=JSON)

    @router.get("/{vendor_id}/items", responses=READ_ERRORS | {200: {"model": ItemsView}})
    async def get_items_of_vendor(vendor_id: PathId, _: who) -> Response:
        """What the units of this vendor's items hold of each other, by item."""
        async with erp.read() as connection:
            found = await items_of(connection, vendor_id)
        if found is None:
            raise not_found("vendor", vendor_id=vendor_id)
        return answer({"items": found})

    @router.put(
        "/{vendor_id}/items/{item}/units",
        responses=COMMAND_ERRORS | {200: {"model": ItemUnitsView}},
        openapi_extra=body_of(NewItemUnits),
    )
    async def put_item_units(
        request: Request, vendor_id: PathId, item: PathText, person: who, idempotency_key: PostingKey
    ) -> Response:
        """Sets what an item's units hold of each other; the vendor's invoices are matched again."""
        content = await request.body()
        new = valid(NewItemUnits, content)
        keyed = Keyed(person, idempotency_key, f"vendors/{vendor_id}/items/{item}/units", content)
        body = await once(erp, keyed, lambda posting: set_item_units(erp, posting, vendor_id, item, new.units))
        return Response(body, media_type=JSON)

    return router
