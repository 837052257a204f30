"""Reads of items' units."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.items.tables import item_units
from deskworld_erp.vendors.tables import vendors


async def items_of(connection: AsyncConnection, vendor_id: str) -> list[dict[str, Any]] | None:
    """By item code; None when there is no such vendor."""
    rows = (
        await connection.execute(
            select(vendors.c.id, item_units.c.item, item_units.c.units)
            .outerjoin_from(vendors, item_units, item_units.c.vendor_id == vendors.c.id)
            .where(vendors.c.id == vendor_id)
            .order_by(item_units.c.item)
        )
    ).all()
    if not rows:
        return None
    return [{"vendor_id": row.id, "item": row.item, "units": row.units} for row in rows if row.item is not None]
