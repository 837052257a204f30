"""The audit chain: what a row says, and whether the rows that stand follow one another (`closing` writes them)."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.audit.tables import audit, audit_head
from deskworld_erp.fields import moment_text
from deskworld_kit.chain import GENESIS, link

VERIFY_BATCH = 1000


@dataclass(frozen=True, slots=True)
class Entry:
    at: datetime
    entity_kind: str
    entity_id: str
    vendor_id: str
    action: str
    client: str
    user: Mapping[str, Any] | None
    decision_id: str | None
    detail: Mapping[str, Any]


def audit_row(row: Row[Any]) -> dict[str, Any]:
    """A row as it is served, and as it was hashed."""
    entry = Entry(
        at=row.at,
        entity_kind=row.entity_kind,
        entity_id=row.entity_id,
        vendor_id=row.vendor_id,
        action=row.action,
        client=row.client,
        user=row.user,
        decision_id=row.decision_id,
        detail=row.detail,
    )
    return {"seq": row.seq} | said(entry) | {"prev_hash": row.prev_hash, "hash": row.hash}


@dataclass(frozen=True, slots=True)
class ChainState:
    ok: bool
    broken: int | None
    """`seq` of the first row that does not follow the one before, or of the first that is missing."""
    rows: int


async def verify_chain(connection: AsyncConnection) -> ChainState:
    """The whole chain, from the first row to the head."""
    head = (await connection.execute(select(audit_head.c.seq, audit_head.c.hash))).one()
    before, seq = GENESIS, 0
    async for row in _rows(connection, head.seq):
        seq += 1
        if row.seq != seq or row.prev_hash != before or row.hash != link(before, audit_row(row)):
            return ChainState(ok=False, broken=seq, rows=head.seq)
        before = row.hash
    if seq != head.seq or before != head.hash:
        return ChainState(ok=False, broken=seq + 1, rows=head.seq)
    return ChainState(ok=True, broken=None, rows=seq)


async def _rows(connection: AsyncConnection, up_to: int) -> AsyncIterator[Row[Any]]:
    after = 0
    while True:
        batch = (
            await connection.execute(
                select(audit).where(audit.c.seq > after, audit.c.seq <= up_to).order_by(audit.c.seq).limit(VERIFY_BATCH)
            )
        ).all()
        for row in batch:
            yield row
        if len(batch) < VERIFY_BATCH:
            return
        after = batch[-1].seq


async def verify_rows(connection: AsyncConnection, rows: Sequence[Row[Any]]) -> ChainState:
    """Some rows, each against its own content and against the row that really stands before it."""
    before = {
        row.seq: row.hash
        for row in await connection.execute(
            select(audit.c.seq, audit.c.hash).where(audit.c.seq.in_([row.seq - 1 for row in rows]))
        )
    }
    for row in rows:
        expected = GENESIS if row.seq == 1 else before.get(row.seq - 1)
        if row.prev_hash != expected or row.hash != link(row.prev_hash, audit_row(row)):
            return ChainState(ok=False, broken=row.seq, rows=len(rows))
    return ChainState(ok=True, broken=None, rows=len(rows))


def said(entry: Entry) -> dict[str, Any]:
    """A row without its place in the chain."""
    return {
        "at": moment_text(entry.at),
        "entity": {"kind": entry.entity_kind, "id": entry.entity_id},
        "vendor_id": entry.vendor_id,
        "action": entry.action,
        "client": entry.client,
        "user": None if entry.user is None else dict(entry.user),
        "decision_id": entry.decision_id,
        "detail": dict(entry.detail),
    }
