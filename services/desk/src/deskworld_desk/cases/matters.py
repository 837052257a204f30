"""What is in motion on a case and what it waits on: computed from the rows that are open, and so true after a restart.

`open_rows` reads them; the two functions below say what each means. They decide when a case may be called settled.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from deskworld_desk.cases.states import AT_REST, State
from deskworld_kit.plans import constant

Table = Literal["rules", "event", "input", "turn", "decision", "question", "letter", "mail"]


@dataclass(frozen=True, slots=True)
class OpenRow:
    """A row that is not closed. `state` is the row's own; `role`, `user`, `address` say who is asked, if anybody."""

    case_id: str
    table: Table
    id: str
    state: str
    since: datetime
    role: str | None = None
    user: str | None = None
    address: str | None = None


@dataclass(frozen=True, slots=True)
class Motion:
    kind: str
    id: str
    since: datetime


@dataclass(frozen=True, slots=True)
class Waiting:
    kind: Literal["question", "decision", "letter"]
    id: str
    since: datetime
    role: str | None
    user: str | None
    address: str | None


_MOVES: dict[tuple[str, str], str] = {
    ("event", "ACCEPTED"): "event",
    ("rules", "DUE"): "rules",
    ("input", "UNTOLD"): "untold",
    ("turn", "RUNNING"): "turn",
    ("decision", "MADE"): "decision",
    ("decision", "UNECHOED"): "echo",
    ("letter", "QUEUED"): "mail-out",
    ("mail", "STORED"): "mail-in",
    ("mail", "JOINED"): "mail-in",
}
_WAITS: dict[tuple[str, str], Literal["question", "decision", "letter"]] = {
    ("decision", "OPEN"): "decision",
    ("decision", "NEEDS_DECIDER"): "decision",
    ("question", "OPEN"): "question",
    ("letter", "AWAITED"): "letter",
}


def in_motion(state: State, rows: Iterable[OpenRow]) -> tuple[Motion, ...]:
    """Input that waits for a case at rest is told to nobody, so nothing moves there."""
    return tuple(
        Motion(_MOVES[row.table, row.state], row.id, row.since)
        for row in rows
        if (row.table, row.state) in _MOVES and not (row.table == "input" and state in AT_REST)
    )


def waiting_on(rows: Iterable[OpenRow]) -> tuple[Waiting, ...]:
    return tuple(
        Waiting(_WAITS[row.table, row.state], row.id, row.since, row.role, row.user, row.address)
        for row in rows
        if (row.table, row.state) in _WAITS
    )


_OPEN_ROWS = constant(
    text(
        """
    SELECT id AS case_id, 'rules' AS "table", rules_run AS id, 'DUE' AS state, rules_since AS since,
           NULL AS role, NULL AS "user", NULL AS address
      FROM cases WHERE id = ANY(:cases) AND rules_run IS NOT NULL
    UNION ALL
    SELECT c.id, 'event', e.id, 'ACCEPTED', e.received_at, NULL, NULL, NULL
      FROM events e JOIN cases c ON c.record_id = e.record_id
     WHERE e.record_id = ANY(:records) AND e.handled_at IS NULL AND c.id = ANY(:cases)
    UNION ALL
    SELECT case_id, 'input', id, 'UNTOLD', made_at, NULL, NULL, NULL
      FROM inputs WHERE case_id = ANY(:cases) AND turn_id IS NULL AND dropped_at IS NULL
    UNION ALL
    SELECT case_id, 'turn', id, 'RUNNING', started_at, NULL, NULL, NULL
      FROM turns WHERE case_id = ANY(:cases) AND ended_at IS NULL
    UNION ALL
    SELECT case_id, 'decision', id, CASE WHEN state = 'APPLIED' THEN 'UNECHOED' ELSE state END,
           coalesce(decided_at, requested_at), role, CASE WHEN state = 'NEEDS_DECIDER' THEN by_username ELSE "user" END,
           NULL
      FROM decisions WHERE case_id = ANY(:cases)
       AND (state IN ('OPEN', 'MADE', 'NEEDS_DECIDER') OR (state = 'APPLIED' AND echo_at IS NULL))
    UNION ALL
    SELECT case_id, 'question', id, state, asked_at, NULL, "user", NULL
      FROM questions WHERE case_id = ANY(:cases) AND state = 'OPEN'
    UNION ALL
    SELECT case_id, 'letter', id, CASE WHEN state = 'QUEUED' THEN 'QUEUED' ELSE 'AWAITED' END, queued_at,
           NULL, NULL, recipients ->> 0
      FROM letters WHERE case_id = ANY(:cases) AND (state = 'QUEUED' OR (state = 'SENT' AND awaited))
    UNION ALL
    SELECT case_id, 'mail', id, state, received_at, NULL, NULL, NULL
      FROM mails WHERE case_id = ANY(:cases) AND state IN ('STORED', 'JOINED')
    ORDER BY since, id
    """
    )
)


async def open_rows(session: AsyncSession, cases: Sequence[str], records: Sequence[str]) -> list[OpenRow]:
    found = await session.execute(_OPEN_ROWS, {"cases": list(cases), "records": list(records)})
    return [OpenRow(*row) for row in found]
