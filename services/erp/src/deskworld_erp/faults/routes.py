"""Faults at the stage door."""

from collections.abc import Callable, Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Response
from sqlalchemy.exc import IntegrityError

from deskworld_erp.erp import Erp
from deskworld_erp.faults.commands import fault_of, listed, put_on, take_off
from deskworld_erp.faults.schemas import FaultsView, FaultView, NewFault
from deskworld_erp.fields import Id, PathId
from deskworld_kit.answers import answer, not_found
from deskworld_kit.problems import responses

OfVendor = Annotated[Id | None, Query(description="only this vendor's; absent: all")]


def routes(erp: Erp, office_routes: Callable[[], Sequence[str]]) -> APIRouter:
    router = APIRouter(prefix="/faults", tags=["faults"])

    @router.post("", status_code=201, responses=responses(400, 401, 404, 500, 503) | {201: {"model": FaultView}})
    async def put_fault_on(new: NewFault) -> Response:
        """From now on the office door's calls for this vendor's records, or all calls, meet it."""
        fault = fault_of(new, new.vendor_id, everybody=new.vendor_id is None, routes=office_routes())
        try:
            return answer(await put_on(erp, fault), status=201)
        except IntegrityError as error:
            raise not_found("vendor", vendor_id=new.vendor_id) from error

    @router.get("", responses=responses(400, 401, 500, 503) | {200: {"model": FaultsView}})
    async def get_faults(vendor_id: OfVendor = None) -> Response:
        """The faults that are on, oldest first."""
        async with erp.read() as connection:
            found = await listed(connection, vendor_id)
        return answer({"items": found, "ids": [one["id"] for one in found]})

    @router.delete("", status_code=204, response_class=Response, responses=responses(400, 401, 500, 503))
    async def take_faults_off(vendor_id: OfVendor = None) -> Response:
        """A vendor's faults, or all."""
        await take_off(erp, vendor_id=vendor_id)
        return Response(status_code=204)

    @router.delete(
        "/{fault_id}", status_code=204, response_class=Response, responses=responses(400, 401, 404, 500, 503)
    )
    async def take_fault_off(fault_id: PathId) -> Response:
        """One fault."""
        if not await take_off(erp, fault_id=fault_id):
            raise not_found("fault", fault_id=fault_id)
        return Response(status_code=204)

    return router
