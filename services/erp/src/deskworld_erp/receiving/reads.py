"""Reads of goods receipts."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.purchasing.tables import orders
from deskworld_erp.receiving.tables import receipts


async def receipts_of(connection: AsyncConnection, po_number: str) -> list[dict[str, Any]] | None:
    """Oldest first; None when there is no such order."""
    rows = (
        await connection.execute(
            select(orders.c.number, receipts)
            .outerjoin_from(orders, receipts, receipts.c.order_id == orders.c.id)
            .where(orders.c.number == po_number)
            .order_by(receipts.c.id)
        )
    ).all()
    return [receipt_view(row) for row in rows if row.id is not None] if rows else None


async def receipt(connection: AsyncConnection, receipt_id: str) -> dict[str, Any] | None:
    row = (await connection.execute(select(receipts).where(receipts.c.id == receipt_id))).first()
    return None if row is None else receipt_view(row)


def receipt_view(row: Any) -> dict[str, Any]:
    return {
        "id": row.id,
        "po_number": row.po_number,
        "date": row.date.isoformat(),
        "lines": row.lines,
        "reverses": row.reverses,
        "ids": [row.id],
    }
