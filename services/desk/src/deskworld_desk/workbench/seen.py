"""Nobody acts on a case that is no longer what they saw: the lost update, for commands on an append-only record.

A command may name `seen`, the seq of the case's last row that its sender saw. When something came after it that a
person would want to know, the command is refused and says what came.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field
from sqlalchemy import ScalarSelect, select
from sqlalchemy.ext.asyncio import AsyncSession

from deskworld_desk.cases.docket import Docket, Dockets
from deskworld_desk.desk import Desk
from deskworld_desk.timeline.tables import TimelineRow
from deskworld_kit.answers import etag, to_bytes
from deskworld_kit.problems import Problem

Seen = Annotated[int, Field(ge=1, le=2**31 - 1, description="seq of the last row of the case that the sender saw")]
TOLD_AT_MOST = 50
QUIET = frozenset(
    {
        "mail.sent",
        "event.ignored",
        "policy.asked",
        "agent.told",
        "turn.started",
        "turn.ended",
        "tool.called",
        "feedback.given",
    }
)
"""Rows that a person who acts need not have seen: whatever follows from them has a row of its own."""
Still = Callable[[Docket], Awaitable[str | None]]
"""The case that is asked about, while it matters what was seen; None: the command itself knows what to answer."""


def case_itself(case_id: str) -> Still:
    async def still(_: Docket) -> str | None:
        return case_id

    return still


def seeing(desk: Desk, seen: int | None, still: Still) -> Desk:
    """The desk for one command: its first transaction over cases raises Problem 409 CASE_CHANGED, under the lock of
    the record, when the case is not what was seen."""
    return desk if seen is None else replace(desk, dockets=_Checking(desk.dockets, seen, still))


async def changed_since(session: AsyncSession, case_id: str, seen: int) -> list[dict[str, Any]]:
    """What came that a person would want to know, the first rows of it."""
    found = await session.scalars(
        select(TimelineRow.row)
        .where(TimelineRow.case_id == case_id, TimelineRow.seq > seen, TimelineRow.kind.not_in(QUIET))
        .order_by(TimelineRow.cursor)
        .limit(TOLD_AT_MOST)
    )
    rows = [json.loads(row) for row in found]
    return [{name: row[name] for name in ("seq", "at", "kind", "actor")} for row in rows]


@asynccontextmanager
async def telling_what_changed(desk: Desk, case_id: str, seen: int | None) -> AsyncIterator[None]:
    """For commands that compare by themselves: their 409 CASE_CHANGED then also says what came."""
    try:
        yield
    except Problem as problem:
        if problem.code == "CASE_CHANGED" and seen is not None:
            async with desk.db.transaction() as session:
                problem.values["changed"] = await changed_since(session, case_id, seen)
        raise


def case_changed(case_seq: int, seen: int, changed: list[dict[str, Any]]) -> Problem:
    kinds = ", ".join(dict.fromkeys(one["kind"] for one in changed))
    since = f"; since then: {kinds}" if kinds else ", which it does not have"
    detail = f"the case is at row {case_seq}, you saw row {seen}{since}"
    return Problem(409, "CASE_CHANGED", detail, seq=case_seq, seen=seen, changed=changed)


def matching(if_match: str | None, shown: Any) -> None:
    """`shown`: the resource as it stands, as its GET answers it. Raises Problem 412, 428."""
    if if_match is None:
        detail = "send If-Match with the ETag that you saw, so that nobody's change is lost"
        raise Problem(428, "PRECONDITION_REQUIRED", detail)
    tag = etag(to_bytes(shown))
    if tag not in (known := {part.strip() for part in if_match.split(",")}) and "*" not in known:
        raise Problem(412, "PRECONDITION_FAILED", "it is not what you saw any more", etag=tag, now=shown)


class _Checking(Dockets):
    """What begins in the background afterwards uses it too: only the first transaction is the command's."""

    def __init__(self, dockets: Dockets, seen: int, still: Still) -> None:
        self._dockets = dockets
        self._seen = seen
        self._still: Still | None = still

    @asynccontextmanager
    async def of_record(
        self, record_id: str | ScalarSelect[str] | None, *, alone: bool = False
    ) -> AsyncIterator[Docket]:
        async with self._dockets.of_record(record_id, alone=alone) as docket:
            await self._check(docket)
            yield docket

    @asynccontextmanager
    async def of_case(self, case_id: str) -> AsyncIterator[Docket]:
        async with self._dockets.of_case(case_id) as docket:
            await self._check(docket)
            yield docket

    async def _check(self, docket: Docket) -> None:
        still, self._still = self._still, None
        case = docket.cases.get(await still(docket) or "") if still is not None else None
        if case is None:
            return
        changed = await changed_since(docket.session, case.id, self._seen)
        if changed or self._seen > case.seq:
            raise case_changed(case.seq, self._seen, changed)
