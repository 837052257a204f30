"""The case as everybody outside sees it."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deskworld_desk.cases.matters import Motion, OpenRow, Waiting, in_motion, open_rows, waiting_on
from deskworld_desk.cases.states import State
from deskworld_desk.cases.tables import Case
from deskworld_desk.world import Names
from deskworld_kit.database import check_snapshot


def compose(case: Case, names: Names, rows: Iterable[OpenRow], siblings: Sequence[str]) -> dict[str, Any]:
    """Pure: the view of one case, given its open rows and the other cases of the same record."""
    own = [row for row in rows if row.case_id == case.id]
    return {
        "case_id": case.id,
        "world": case.world,
        names.subject: case.id,
        names.record: case.record_id,
        names.party: case.party_id,
        "reason": case.reason,
        "state": case.state,
        "rules": case.rules,
        "stopped": case.stopped,
        "seq": case.seq,
        "in_motion": [_motion(motion) for motion in in_motion(State(case.state), own)],
        "waiting_on": [_waiting(waiting) for waiting in waiting_on(own)],
        "siblings": list(siblings),
        "resolved_by": case.resolved_by,
    }


async def views_of(
    session: AsyncSession, cases: Sequence[Case], everyone: Sequence[Case], names: Mapping[str, Names]
) -> list[dict[str, Any]]:
    """The views of `cases` as their rows stand in this transaction, which has them locked; `everyone` holds all cases
    of their records."""
    if not cases:
        return []
    together: dict[str, list[str]] = {}
    for one in everyone:
        together.setdefault(one.record_id, []).append(one.id)
    rows = await open_rows(session, [case.id for case in cases], sorted({case.record_id for case in cases}))
    return [
        compose(case, names[case.world], rows, sorted(one for one in together[case.record_id] if one != case.id))
        for case in cases
    ]


async def read_views(session: AsyncSession, cases: Sequence[Case], names: Mapping[str, Names]) -> list[dict[str, Any]]:
    """The same for cases that were read without their siblings, in a snapshot: a state of one moment with the open rows
    of the next is a case that waits while somebody works on it."""
    await check_snapshot(session)
    records = {case.record_id for case in cases}
    everyone = await session.scalars(select(Case).where(Case.record_id.in_(records)))
    return await views_of(session, cases, list(everyone), names)


def _motion(motion: Motion) -> dict[str, Any]:
    return {"kind": motion.kind, "id": motion.id, "since": stamp(motion.since)}


def _waiting(waiting: Waiting) -> dict[str, Any]:
    whom = {"role": waiting.role, "user": waiting.user, "address": waiting.address}
    return {"kind": waiting.kind, "id": waiting.id, "whom": whom, "since": stamp(waiting.since)}


def stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds")
