"""Reads of invoices and exceptions: one statement each, so that version and content always belong together."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Table, Text, bindparam, cast, func, literal_column, or_, select
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.invoicing.tables import exceptions, holds, invoices
from deskworld_erp.invoicing.views import exception_view, invoice_view
from deskworld_erp.tables import json_object
from deskworld_kit.lean import fixed

_STANDING = json_object(
    id=holds.c.id,
    why=holds.c.why,
    by=holds.c.by,
    since=holds.c.since,
    until=holds.c.until,
    released_at=holds.c.released_at,
)
_HOLDS = (
    select(func.coalesce(func.json_agg(_STANDING), literal_column("'[]'::json")))
    .where(holds.c.exception_id == exceptions.c.id, holds.c.released_at.is_(None))
    .correlate(exceptions)
    .scalar_subquery()
)
_EXCEPTION = json_object(
    id=exceptions.c.id,
    reason=exceptions.c.reason,
    summary=exceptions.c.summary,
    lines=exceptions.c.lines,
    amount=cast(exceptions.c.amount, Text),
    currency=exceptions.c.currency,
    status=exceptions.c.status,
    masked=exceptions.c.masked,
    holds=_HOLDS,
)
EXCEPTIONS = (
    select(func.coalesce(func.json_agg(aggregate_order_by(_EXCEPTION, exceptions.c.id)), literal_column("'[]'::json")))
    .where(exceptions.c.invoice_id == invoices.c.id)
    .correlate(invoices)
    .scalar_subquery()
)
INVOICE = select(invoices, EXCEPTIONS.label("exceptions"))


_INVOICE = fixed(INVOICE.where(invoices.c.id == bindparam("invoice_id")))


async def invoice(connection: AsyncConnection, invoice_id: str) -> dict[str, Any] | None:
    row = (await connection.execute(_INVOICE, {"invoice_id": invoice_id})).first()
    return None if row is None else invoice_view(row)


async def invoices_of_vendor(
    connection: AsyncConnection, vendor_id: str, *, after: int = 0, limit: int | None = None
) -> list[dict[str, Any]]:
    """In the order in which they were received."""
    rows = await connection.execute(
        INVOICE.where(invoices.c.vendor_id == vendor_id, invoices.c.sequence > after)
        .order_by(invoices.c.sequence)
        .limit(limit)
    )
    return [invoice_view(row) for row in rows]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a list is narrowed to; None and empty: not at all."""

    ids: tuple[str, ...] = ()
    vendor_id: str | None = None
    status: str | None = None
    invoice_id: str | None = None
    reason: str | None = None
    number: str | None = None
    po_number: str | None = None

    def of(self, table: Table) -> list[ColumnElement[bool]]:
        named = ("vendor_id", "status", "invoice_id", "reason", "number")
        found = [table.c[name] == value for name in named if (value := getattr(self, name)) is not None]
        if self.ids:
            found.append(table.c.id.in_(self.ids))
        if self.po_number is not None:
            found.append(or_(table.c.matched_po == self.po_number, table.c.po_reference == self.po_number))
        return found


async def invoices_after(
    connection: AsyncConnection, after: str, *, limit: int, wanted: Wanted
) -> list[dict[str, Any]]:
    """In the order in which they were received."""
    rows = INVOICE.where(invoices.c.id > after, *wanted.of(invoices)).order_by(invoices.c.id).limit(limit)
    return [invoice_view(row) for row in await connection.execute(rows)]


async def exceptions_after(
    connection: AsyncConnection, after: str, *, limit: int, wanted: Wanted
) -> list[dict[str, Any]]:
    """In the order in which they were raised."""
    rows = select(exceptions, _HOLDS.label("holds")).where(exceptions.c.id > after, *wanted.of(exceptions))
    found = await connection.execute(rows.order_by(exceptions.c.id).limit(limit))
    return [exception_view(dict(row._mapping)) for row in found]  # noqa: SLF001 - SQLAlchemy's public name for it


async def exception(connection: AsyncConnection, exception_id: str) -> dict[str, Any] | None:
    wanted = select(exceptions, _HOLDS.label("holds")).where(exceptions.c.id == exception_id)
    row = (await connection.execute(wanted)).first()
    return None if row is None else exception_view(dict(row._mapping))  # noqa: SLF001 - as above
