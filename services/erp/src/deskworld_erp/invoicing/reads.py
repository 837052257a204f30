"""Reads of invoices and exceptions: one statement each, so that version and content always belong together."""

from typing import Any

from sqlalchemy import Text, bindparam, cast, func, literal_column, select
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.invoicing.tables import exceptions, holds, invoices
from deskworld_erp.invoicing.views import exception_view, invoice_view

_HOLDS = (
    select(
        func.coalesce(
            func.json_agg(
                func.json_build_object(
                    "id",
                    holds.c.id,
                    "why",
                    holds.c.why,
                    "by",
                    holds.c.by,
                    "since",
                    holds.c.since,
                    "until",
                    holds.c.until,
                    "released_at",
                    holds.c.released_at,
                )
            ),
            literal_column("'[]'::json"),
        )
    )
    .where(holds.c.exception_id == exceptions.c.id, holds.c.released_at.is_(None))
    .correlate(exceptions)
    .scalar_subquery()
)
_EXCEPTIONS = (
    select(
        func.coalesce(
            func.json_agg(
                aggregate_order_by(
                    func.json_build_object(
                        "id",
                        exceptions.c.id,
                        "reason",
                        exceptions.c.reason,
                        "summary",
                        exceptions.c.summary,
                        "lines",
                        exceptions.c.lines,
                        "amount",
                        cast(exceptions.c.amount, Text),
                        "currency",
                        exceptions.c.currency,
                        "status",
                        exceptions.c.status,
                        "masked",
                        exceptions.c.masked,
                        "holds",
                        _HOLDS,
                    ),
                    exceptions.c.id,
                )
            ),
            literal_column("'[]'::json"),
        )
    )
    .where(exceptions.c.invoice_id == invoices.c.id)
    .correlate(invoices)
    .scalar_subquery()
)
INVOICE = select(invoices, _EXCEPTIONS.label("exceptions"))


_INVOICE = INVOICE.where(invoices.c.id == bindparam("invoice_id"))


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


async def exceptions_by_status(
    connection: AsyncConnection, *, status: str | None, after: str, limit: int
) -> list[dict[str, Any]]:
    """In the order in which they were raised."""
    wanted = select(exceptions, _HOLDS.label("holds")).where(exceptions.c.id > after)
    if status is not None:
        wanted = wanted.where(exceptions.c.status == status)
    rows = await connection.execute(wanted.order_by(exceptions.c.id).limit(limit))
    return [exception_view(dict(row._mapping)) for row in rows]  # noqa: SLF001 - SQLAlchemy's public name for it


async def exception(connection: AsyncConnection, exception_id: str) -> dict[str, Any] | None:
    wanted = select(exceptions, _HOLDS.label("holds")).where(exceptions.c.id == exception_id)
    row = (await connection.execute(wanted)).first()
    return None if row is None else exception_view(dict(row._mapping))  # noqa: SLF001 - as above
