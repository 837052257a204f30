"""Appending at the end of a transaction: the head row serialises who gets which cursor, so that none is ever skipped.

The head is locked by the last statement before the commit. A cursor that a reader has seen is therefore never
followed by a smaller one that appears later.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from deskworld_desk.timeline.kinds import Actor, Entry
from deskworld_desk.timeline.rows import Row, dumps, make_row
from deskworld_kit import clock
from deskworld_kit.plans import constant

_APPEND = constant(
    text(
        """
    WITH head AS (UPDATE stream_head SET cursor = cursor + :n WHERE id = 1 RETURNING cursor - :n AS before)
    INSERT INTO timeline (cursor, case_id, seq, kind, at, row)
    SELECT head.before + r.ord, r.case_id, r.seq, r.kind, r.at, r.row
    FROM head, unnest(CAST(:cases AS text[]), CAST(:seqs AS integer[]), CAST(:kinds AS text[]),
                      CAST(:ats AS timestamptz[]), CAST(:rows AS text[]))
         WITH ORDINALITY AS r(case_id, seq, kind, at, row, ord)
    RETURNING cursor
    """
    )
)
_LOCK_OWN = constant(text("SELECT seq, hash FROM stream_head WHERE id = 1 FOR UPDATE"))
_MOVE_OWN = constant(text("UPDATE stream_head SET seq = :seq, hash = :hash WHERE id = 1"))
_BLOBS = constant(
    text(
        "INSERT INTO blobs (digest, value) SELECT * FROM unnest(CAST(:digests AS text[]), CAST(:texts AS text[])) "
        "ON CONFLICT (digest) DO NOTHING"
    )
)


async def append(session: AsyncSession, rows: Sequence[Row]) -> int:
    """Stores the rows in this order and gives the cursor of the first. The head stays locked until the commit."""
    found = await session.execute(
        _APPEND,
        {
            "n": len(rows),
            "cases": [row.case_id for row in rows],
            "seqs": [row.seq for row in rows],
            "kinds": [row.kind for row in rows],
            "ats": [row.at for row in rows],
            "rows": [row.text for row in rows],
        },
    )
    return int(min(found.scalars()))


async def own_rows(session: AsyncSession, entries: Sequence[tuple[Entry, Actor]]) -> list[Row]:
    """Rows of the desk itself, that belong to no case. Locks the head."""
    seq, last = (await session.execute(_LOCK_OWN)).one()
    rows: list[Row] = []
    for entry, actor in entries:
        seq += 1
        row = make_row(case_id=None, seq=seq, prev_hash=last, entry=entry, actor=actor, cause=None, at=clock.now())
        last = row.hash
        rows.append(row)
    await session.execute(_MOVE_OWN, {"seq": seq, "hash": last})
    return rows


async def keep_blobs(session: AsyncSession, blobs: Mapping[str, Any]) -> None:
    # in one order everywhere: two transactions that keep the same blobs must not wait for each other crosswise
    digests = sorted(blobs)
    await session.execute(_BLOBS, {"digests": digests, "texts": [dumps(blobs[digest]) for digest in digests]})
