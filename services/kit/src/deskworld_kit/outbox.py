"""Transactional outbox: events are written with the documents they tell of, and leave as signed webhooks.

At least once, in order per key; keys side by side; each receiver for itself. Knows no service: a service brings the
table's name and the bodies. The sending side is in `deskworld_kit.dispatcher` and `deskworld_kit.dispatchers`.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    ForeignKey,
    Identity,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    func,
    select,
    text,
)
from sqlalchemy.ext.asyncio import AsyncConnection

PUBLISH = """INSERT INTO {name} (id, key, scope, type, subject, at, body)
SELECT id, key, scope, type, subject, at, body FROM ROWS FROM (json_to_recordset(CAST(:events AS json))
AS (id text, key text, scope text, type text, subject text, at timestamptz, body text))
WITH ORDINALITY AS fresh (id, key, scope, type, subject, at, body, place) ORDER BY place"""
"""SQL that writes events (JSON, as `rows_of` gives it) in the caller's transaction. Run it last: it serialises writers
until the commit."""


def outbox_table(metadata: MetaData, name: str = "outbox") -> Table:
    """`key` keeps order; `scope` finds the events of one owner again; `body` is sent byte for byte.

    The migration that creates it gives it a statement trigger before inserts, which notifies the channel of the table's
    name, and takes `pg_advisory_xact_lock(hashtext('<name>:order'))`, so that the order of `seq` is that of commits:
    whoever read up to n has missed nothing below n. Another one after inserts writes a delivery for each receiver that
    is active.
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
    )
    Index(f"{name}_scope", table.c.scope, table.c.seq)
    return table


def receivers_table(metadata: MetaData, name: str = "outbox") -> Table:
    """Who is sent the events. `secret` is null for the one that the service's settings name."""
    return Table(
        f"{name}_receivers",
        metadata,
        Column("name", Text, primary_key=True),
        Column("url", Text, nullable=False),
        Column("secret", Text),
        Column("active", Boolean, nullable=False),
        Column("made_by", Text),
        Column("at", DateTime(timezone=True), nullable=False),
    )


def deliveries_table(metadata: MetaData, name: str = "outbox") -> Table:
    """What became of one event at one receiver."""
    table = Table(
        f"{name}_deliveries",
        metadata,
        Column("receiver", Text, nullable=False),
        Column("seq", BigInteger, ForeignKey(f"{name}.seq", ondelete="CASCADE"), nullable=False),
        Column("wanted", Integer, nullable=False, server_default="1"),
        Column("sent", Integer, nullable=False, server_default="0"),
        Column("attempts", Integer, nullable=False, server_default="0"),
        Column("delivered_at", DateTime(timezone=True)),
        Column("dead_at", DateTime(timezone=True)),
        Column("last_error", Text),
        PrimaryKeyConstraint("receiver", "seq", name=f"{name}_deliveries_pkey"),
    )
    waiting = text("sent < wanted AND dead_at IS NULL")
    Index(f"{name}_deliveries_waiting", table.c.receiver, table.c.seq, postgresql_where=waiting)
    Index(f"{name}_deliveries_dead", table.c.seq, table.c.receiver, postgresql_where=text("dead_at IS NOT NULL"))
    Index(f"{name}_deliveries_seq", table.c.seq)
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


_NAMES = tuple(one.name for one in fields(OutgoingEvent))


def rows_of(events: Sequence[OutgoingEvent]) -> str:
    return json.dumps([{name: getattr(one, name) for name in _NAMES} | {"at": one.at.isoformat()} for one in events])


async def send_again(connection: AsyncConnection, table: Table, event_id: str, *, receiver: str | None = None) -> bool:
    """The same event once more, with the same id, to one receiver or to all that were to have it; also the way back
    for a dead letter. False: no such event."""
    deliveries = table.metadata.tables[f"{table.name}_deliveries"]
    seq = (await connection.execute(select(table.c.seq).where(table.c.id == event_id))).scalar()
    if seq is None:
        return False
    again = deliveries.update().where(deliveries.c.seq == seq)
    if receiver is not None:
        again = again.where(deliveries.c.receiver == receiver)
    await connection.execute(again.values(wanted=deliveries.c.wanted + 1, dead_at=None, attempts=0))
    await connection.execute(select(func.pg_notify(table.name, "rescan")))
    return True


@dataclass(frozen=True, slots=True)
class DeadLetter:
    seq: int
    id: str
    type: str
    subject: str
    scope: str
    receiver: str
    dead_at: datetime
    attempts: int
    last_error: str | None


async def dead_letters(
    connection: AsyncConnection,
    table: Table,
    *,
    event_id: str | None = None,
    after: tuple[int, str] = (0, ""),
    limit: int = 100,
) -> list[DeadLetter]:
    """Events that were given up, oldest first, one for each receiver that did not take it."""
    of = table.metadata.tables[f"{table.name}_deliveries"]
    receivers = table.metadata.tables[f"{table.name}_receivers"]
    named = (table.c.id, table.c.type, table.c.subject, table.c.scope)
    wanted = (
        select(of.c.seq, *named, of.c.receiver, of.c.dead_at, of.c.attempts, of.c.last_error)
        .join(table, table.c.seq == of.c.seq)
        .join(receivers, receivers.c.name == of.c.receiver)
        .where(of.c.dead_at.is_not(None), func.row(of.c.seq, of.c.receiver) > func.row(*after))
    )
    if event_id is not None:
        wanted = wanted.where(table.c.id == event_id)
    rows = await connection.execute(wanted.order_by(of.c.seq, of.c.receiver).limit(limit))
    return [DeadLetter(**_named(row)) for row in rows]


def _named(row: Any) -> dict[str, Any]:
    return dict(row._mapping)  # noqa: SLF001 - SQLAlchemy's public name for it
