"""Faults put on and taken off, in the table and in memory together."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.erp import Erp
from deskworld_erp.faults.live import of_vendor, row, shown
from deskworld_erp.faults.rules import Fault
from deskworld_erp.faults.schemas import FaultBody
from deskworld_erp.faults.tables import faults
from deskworld_kit import clock
from deskworld_kit.ids import new_id
from deskworld_kit.problems import Problem


def fault_of(body: FaultBody, vendor_id: str | None, *, everybody: bool, routes: Sequence[str]) -> Fault:
    """`routes`: those of the office door. Raises Problem INVALID_REQUEST for a route that it has not."""
    if body.route is not None and body.route not in routes:
        raise Problem(
            400,
            "INVALID_REQUEST",
            "route: the office door has no such route; write it as its description does",
            field="route",
            value=body.route,
            routes=list(routes),
        )
    asked = {name: getattr(body, name) for name in FaultBody.model_fields}
    return Fault(id=new_id(), vendor_id=vendor_id, everybody=everybody, **asked)


async def write(connection: AsyncConnection, fresh: Sequence[Fault]) -> None:
    """In the caller's transaction; whoever calls takes them into memory once it is committed."""
    if fresh:
        at = clock.now()
        await connection.execute(faults.insert(), [row(fault, at) for fault in fresh])


async def put_on(erp: Erp, fault: Fault) -> dict[str, object]:
    async with erp.connections.begun() as connection:
        await write(connection, [fault])
    erp.faults.take([fault])
    return shown(fault)


async def take_off(erp: Erp, *, fault_id: str | None = None, vendor_id: str | None = None) -> list[str]:
    """One fault, a vendor's, or all; gives the ids of those that were on."""
    gone = faults.delete().returning(faults.c.id)
    if fault_id is not None:
        gone = gone.where(faults.c.id == fault_id)
    if vendor_id is not None:
        gone = gone.where(faults.c.vendor_id == vendor_id)
    async with erp.connections.begun() as connection:
        ids = [str(one.id) for one in await connection.execute(gone)]
    erp.faults.drop(ids)
    return ids


async def listed(connection: AsyncConnection, vendor_id: str | None) -> list[dict[str, object]]:
    return [dict(one._mapping) for one in await connection.execute(of_vendor(vendor_id))]  # noqa: SLF001 - SQLAlchemy's public name for it
