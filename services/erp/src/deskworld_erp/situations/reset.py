"""Forgets what was seeded and what became of it. The audit is append-only: it stays, and tells of the reset."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from sqlalchemy import Table, false, select, text

from deskworld_erp.erp import Erp
from deskworld_erp.fields import Id, Value
from deskworld_erp.posting import Actor
from deskworld_erp.schema import metadata
from deskworld_erp.vendors.tables import vendors
from deskworld_kit.answers import answer, not_found
from deskworld_kit.problems import responses

STAGE = Actor(client="stage", user=None)
KEPT = frozenset({"audit", "audit_head", "authority_grants", "outbox_receivers"})
OWNED_BY = {"outbox": "scope", "vendors": "id"}
"""Where the vendor of a row stands, other than in `vendor_id`."""
OWNED_THROUGH = {"outbox_deliveries": ("seq", "outbox", "seq")}
"""column, parent table, parent column; other tables hang on `invoice_id`."""


class ResetView(Value):
    """How many rows went, by table."""

    vendor_id: Id | None
    removed: dict[str, int]


async def reset(erp: Erp, vendor_id: str | None) -> dict[str, Any]:
    """All that belongs to a vendor, or everything. Raises Problem NOT_FOUND."""
    async with erp.posting(STAGE) as posting:
        connection = posting.connection
        if vendor_id is None:
            # writers hold a row of it until they commit: none is in flight from here on
            await connection.execute(text("LOCK TABLE vendors IN EXCLUSIVE MODE"))
        else:
            row = await connection.execute(select(vendors.c.id).where(vendors.c.id == vendor_id).with_for_update())
            if row.first() is None:
                raise not_found("vendor", vendor_id=vendor_id)
        removed: dict[str, int] = {}
        for table in reversed(metadata.sorted_tables):
            if table.name in KEPT:
                continue
            gone = table.delete() if vendor_id is None else table.delete().where(_owned(table, vendor_id))
            removed[table.name] = (await connection.execute(gone)).rowcount
        subject = vendor_id or "all"
        posting.audit("vendor", subject, subject, "reset", {"removed": removed})
    erp.faults.forget(vendor_id)
    return {"vendor_id": vendor_id, "removed": removed}


def _owned(table: Table, vendor_id: str) -> Any:
    column = OWNED_BY.get(table.name, "vendor_id")
    if column in table.c:
        return table.c[column] == vendor_id
    here, parent, there = OWNED_THROUGH.get(table.name, ("invoice_id", "invoices", "id"))
    if here not in table.c:
        return false()  # keys of what was posted are nobody's in particular: they go with everything, or stay
    of = metadata.tables[parent]
    return table.c[here].in_(select(of.c[there]).where(_owned(of, vendor_id)))


def routes(erp: Erp) -> APIRouter:
    router = APIRouter(tags=["situations"])

    @router.post("/reset", responses=responses(400, 401, 404, 500, 503) | {200: {"model": ResetView}})
    async def reset_records(
        vendor_id: Annotated[Id | None, Query(description="only this vendor's; absent: everything")] = None,
    ) -> Response:
        """Removes documents, commands, events and faults; the audit stays, with a row that says so."""
        return answer(await reset(erp, vendor_id))

    return router
