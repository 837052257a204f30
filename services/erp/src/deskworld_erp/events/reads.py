"""Reads of the outbox."""

import json
from typing import Any

from sqlalchemy import Row, and_, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.events.tables import WEBHOOK, deliveries, outbox
from deskworld_erp.fields import moment_text

_OURS = and_(deliveries.c.seq == outbox.c.seq, deliveries.c.receiver == WEBHOOK)
_PUBLISHED = select(outbox.c.seq, outbox.c.body, deliveries).outerjoin(deliveries, _OURS)


async def published_for(connection: AsyncConnection, vendor_id: str) -> list[dict[str, Any]]:
    """A vendor's events in the order of their commits, with what became of each at the receiver of the settings."""
    rows = await connection.execute(_PUBLISHED.where(outbox.c.scope == vendor_id).order_by(outbox.c.seq))
    return [_sent(row) for row in rows]


async def events_after(connection: AsyncConnection, position: int, limit: int) -> list[tuple[int, str]]:
    """`(seq, body)` in the order of commits."""
    wanted = select(outbox.c.seq, outbox.c.body).where(outbox.c.seq > position).order_by(outbox.c.seq).limit(limit)
    return [(row.seq, row.body) for row in await connection.execute(wanted)]


async def last_event(connection: AsyncConnection) -> int:
    found = (await connection.execute(select(func.max(outbox.c.seq)))).scalar()
    return int(found or 0)


def _sent(row: Row[Any]) -> dict[str, Any]:
    delivery = {
        "seq": row.seq,
        "wanted": row.wanted or 0,
        "sent": row.sent or 0,
        "attempts": row.attempts or 0,
        "delivered_at": None if row.delivered_at is None else moment_text(row.delivered_at),
        "dead_at": None if row.dead_at is None else moment_text(row.dead_at),
    }
    envelope: dict[str, Any] = json.loads(row.body)
    return envelope | {"delivery": delivery}
