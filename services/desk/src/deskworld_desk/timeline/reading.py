"""Reading the timeline back: rows as they were written, replays for listeners, and the blobs that rows name."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deskworld_desk.cases.tables import Case
from deskworld_desk.cases.view import read_views
from deskworld_desk.timeline.rows import dumps
from deskworld_desk.timeline.sse import row_message, view_message
from deskworld_desk.timeline.stream import Published
from deskworld_desk.timeline.tables import Blob, StreamHead, TimelineRow
from deskworld_desk.world import Names

DIGEST_FIELDS = ("digest", "input_digest", "result_digest")


async def rows_of(session: AsyncSession, case_ids: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """The timelines of these cases, each in its own order."""
    found = await session.execute(
        select(TimelineRow.case_id, TimelineRow.row)
        .where(TimelineRow.case_id.in_(case_ids))
        .order_by(TimelineRow.cursor)
    )
    timelines: dict[str, list[dict[str, Any]]] = {case_id: [] for case_id in case_ids}
    for case_id, row in found:
        timelines[case_id or ""].append(json.loads(row))
    return timelines


async def own_rows_since(session: AsyncSession, cursor: int) -> list[dict[str, Any]]:
    """Rows that belong to no case."""
    found = await session.scalars(
        select(TimelineRow.row)
        .where(TimelineRow.case_id.is_(None), TimelineRow.cursor >= cursor)
        .order_by(TimelineRow.cursor)
    )
    return [json.loads(row) for row in found]


async def first_cursor(session: AsyncSession, case_ids: Sequence[str]) -> int | None:
    # the first one asked for alone, the database would look for it from the start of the whole timeline
    found = await session.scalars(select(TimelineRow.cursor).where(TimelineRow.case_id.in_(case_ids)))
    return min(found, default=None)


async def blobs_named(session: AsyncSession, rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    digests = {row["data"][name] for row in rows for name in DIGEST_FIELDS if row["data"].get(name)}
    found = await session.execute(select(Blob.digest, Blob.value).where(Blob.digest.in_(digests)))
    return {digest: json.loads(value) for digest, value in found}


async def last_cursor(session: AsyncSession) -> int:
    return (await session.get_one(StreamHead, 1)).cursor


async def replay(session: AsyncSession, first: int, last: int, names: Mapping[str, Names]) -> Published:
    """The rows of these cursors again, and then the views of those cases of which these are the last rows: a view is
    told after the rows that it reflects, and whoever wrote later rows tells it with them."""
    found = await session.execute(
        select(TimelineRow.cursor, TimelineRow.case_id, TimelineRow.seq, TimelineRow.row)
        .where(TimelineRow.cursor.between(first, last))
        .order_by(TimelineRow.cursor)
    )
    rows = found.all()
    seqs = {case_id: seq for _, case_id, seq, _ in rows if case_id is not None}
    cases = await session.scalars(select(Case).where(Case.id.in_(sorted(seqs))).order_by(Case.id))
    views = await read_views(session, [case for case in cases if case.seq == seqs[case.id]], names)
    messages = [row_message(cursor, case_id, row) for cursor, case_id, _, row in rows]
    return Published(first, last - first + 1, (*messages, *(view_message(dumps(view)) for view in views)))
