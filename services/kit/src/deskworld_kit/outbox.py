"""Transactional outbox: events are written with the documents they tell of, and leave as signed webhooks.

At least once, in order per key; keys side by side. Knows no service: a service brings the table's name and the bodies.
The sending side is in `deskworld_kit.dispatcher`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, DateTime, Identity, Index, Integer, MetaData, Table, Text, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection


def outbox_table(metadata: MetaData, name: str = "outbox") -> Table:
    """`key` keeps order; `scope` finds the events of one owner again; `body` is sent byte for byte.

    The migration that creates it gives it a statement trigger before inserts, which notifies the channel of the table's
    name, and takes `pg_advisory_xact_lock(hashtext('<name>:order'))`, so that the order of `seq` is that of commits:
    whoever read up to n has missed nothing below n.
    """
    table = Table(
        name,
        metadata,
        Column("seq", BigInteger, Identity(always=True), primary_key=True),
        Column("id", Text, nullable=False, unique=True),
        Column("key", Text, nullable=False),
        Column("scope", Text, nullable=False),
        Column("type", Text, nullable=False),
        Column("subject", Text, nullable=False),
        Column("at", DateTime(timezone=True), nullable=False),
        Column("body", Text, nullable=False),
        Column("wanted", Integer, nullable=False, server_default="1"),
        Column("sent", Integer, nullable=False, server_default="0"),
        Column("attempts", Integer, nullable=False, server_default="0"),
        Column("delivered_at", DateTime(timezone=True)),
        Column("dead_at", DateTime(timezone=True)),
        Column("last_error", Text),
    )
    Index(f"{name}_pending", table.c.seq, postgresql_where=text("sent < wanted AND dead_at IS NULL"))
    Index(f"{name}_dead", table.c.seq, postgresql_where=text("dead_at IS NOT NULL"))
    Index(f"{name}_scope", table.c.scope, table.c.seq)
    return table


@dataclass(frozen=True, slots=True)
class OutgoingEvent:
    id: str
    key: str
    scope: str
    type: str
    subject: str
    at: datetime
    body: str


async def publish(connection: AsyncConnection, table: Table, events: Sequence[OutgoingEvent]) -> None:
    """Writes events in the caller's transaction. Call it last: it serialises writers until the commit."""
    if events:
        await connection.execute(
            table.insert(),
            [
                {
                    "id": one.id,
                    "key": one.key,
                    "scope": one.scope,
                    "type": one.type,
                    "subject": one.subject,
                    "at": one.at,
                    "body": one.body,
                }
                for one in events
            ],
        )


async def send_again(connection: AsyncConnection, table: Table, event_id: str) -> bool:
    """The same event once more, with the same id; also the way back for a dead letter. False: no such event."""
    changed = await connection.execute(
        table.update()
        .where(table.c.id == event_id)
        .values(wanted=table.c.wanted + 1, dead_at=None, attempts=0)
        .returning(table.c.seq)
    )
    found = changed.first() is not None
    await connection.execute(select(func.pg_notify(table.name, "rescan")))
    return found


async def dead_letters(connection: AsyncConnection, table: Table, limit: int = 100) -> list[dict[str, Any]]:
    """Events that were given up, oldest first."""
    rows = await connection.execute(
        select(table.c.id, table.c.type, table.c.subject, table.c.dead_at, table.c.attempts, table.c.last_error)
        .where(table.c.dead_at.is_not(None))
        .order_by(table.c.seq)
        .limit(limit)
    )
    return [dict(row._mapping) for row in rows]  # noqa: SLF001 - SQLAlchemy's public name for it
