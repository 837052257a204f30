"""Deadlines of the office: who was asked and says nothing in time is asked no more, and a person takes the case up.

Each deadline stands in the row of what was asked, in office time. One timer looks at the next one to come.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Literal

from sqlalchemy import select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from deskworld_desk.cases.docket import DESK, Docket
from deskworld_desk.cases.office_time import MOST_AHEAD, SHORTEST_DEADLINE, office_now
from deskworld_desk.cases.states import State
from deskworld_desk.cases.tables import Case
from deskworld_desk.decisions.proposing import open_decision, withdraw
from deskworld_desk.desk import Desk
from deskworld_desk.letters.tables import Letter
from deskworld_desk.questions.tables import Question
from deskworld_desk.timeline.kinds import DeadlinePassed
from deskworld_desk.turns import inputs
from deskworld_kit import clock
from deskworld_kit.problems import Problem

_DUE = text(
    """
    SELECT asked.case_id, asked.what, asked.id, asked.due_at, asked.due_at - cases.office_ahead AS reached
      FROM (SELECT case_id, 'decision' AS what, id, due_at FROM decisions WHERE state IN ('OPEN', 'NEEDS_DECIDER')
            UNION ALL SELECT case_id, 'question', id, due_at FROM questions WHERE state = 'OPEN'
            UNION ALL SELECT case_id, 'letter', id, due_at FROM letters WHERE state = 'SENT' AND awaited) AS asked
      JOIN cases ON cases.id = asked.case_id
     WHERE asked.due_at - cases.office_ahead <= :until AND (CAST(:only AS text) IS NULL OR cases.id = :only)
     ORDER BY reached, asked.id
    """
)
What = Literal["decision", "question", "letter"]


@dataclass(frozen=True, slots=True)
class Due:
    """`at` in office time, `reached` in machine time."""

    case_id: str
    what: What
    id: str
    at: datetime
    reached: datetime


async def resume_deadlines(desk: Desk) -> None:
    """At start-up, after an outage, and whenever the alarm rings."""
    look(desk)


def look(desk: Desk) -> None:
    desk.background.start_due(partial(_look, desk), name="deadlines")


async def _look(desk: Desk) -> None:
    """What is asked after this look is due a whole deadline later: the next look is early enough for it."""
    now = clock.now()
    async with desk.db.transaction() as session:
        found = await _due(session, now + SHORTEST_DEADLINE / 2)
    for case_id in dict.fromkeys(one.case_id for one in found if one.reached <= now):
        await expire(desk, case_id)
    following = next((one.reached for one in found if one.reached > now), now + SHORTEST_DEADLINE / 2)
    desk.alarm.set((following - clock.now()).total_seconds(), partial(look, desk))


async def _due(session: AsyncSession, until: datetime, case_id: str | None = None) -> list[Due]:
    """What is due until that moment of machine time."""
    return [Due(*row) for row in await session.execute(_DUE, {"until": until, "only": case_id})]


async def expire(desk: Desk, case_id: str) -> tuple[Due, ...]:
    """Withdraws what was asked on this case and is due, each with a row, and leaves the case to a person."""
    async with desk.dockets.of_case(case_id) as docket:
        case = docket.cases.get(case_id)
        if case is None:
            return ()
        due = await _due(docket.session, clock.now(), case_id)
        for one in due:
            await _expire(docket, case, one)
        return tuple(due)


async def _expire(docket: Docket, case: Case, due: Due) -> None:
    row = docket.write(case, DeadlinePassed(what=due.what, id=due.id, due_at=due.at.isoformat()), DESK)
    if due.what == "decision":
        decision = await open_decision(docket, case)
        if decision is not None:
            row = withdraw(docket, case, decision, why="expired", cause=row)
        waited_in = {State.AWAITING_DECISION, State.DECIDED}
    elif due.what == "question":
        await docket.session.execute(update(Question).where(Question.id == due.id).values(state="WITHDRAWN"))
        waited_in = {State.AWAITING_ANSWER}
    else:
        await docket.session.execute(update(Letter).where(Letter.id == due.id).values(awaited=False))
        waited_in = {State.AWAITING_ANSWER}
    another = case.state == State.AWAITING_ANSWER and await answers_awaited(docket, case)
    if case.state in waited_in and not another:
        docket.move(case, State.NEEDS_PERSON, f"the {due.what} is overdue", row)
        await inputs.drop_untold(docket, case)


async def answers_awaited(docket: Docket, case: Case) -> Sequence[str]:
    """Ids of questions and letters of this case whose answer is still waited for."""
    questions = select(Question.id).where(Question.case_id == case.id, Question.state == "OPEN")
    letters = select(Letter.id).where(Letter.case_id == case.id, Letter.state.in_(("QUEUED", "SENT")), Letter.awaited)
    return [*await docket.session.scalars(questions), *await docket.session.scalars(letters)]


async def move_office_time(desk: Desk, case_id: str, *, to: datetime | None, ahead: timedelta | None) -> timedelta:
    """How far ahead of machine time the case's office time is now; deadlines reached have passed by then.

    Raises Problem: 404, 400 for a move back or too far ahead.
    """
    async with desk.dockets.of_case(case_id) as docket:
        case = docket.cases.get(case_id)
        if case is None:
            raise Problem(404, "NOT_FOUND", f"there is no case {case_id}", case_id=case_id)
        wanted = ahead if ahead is not None else (to or clock.now()) - clock.now()
        if wanted < case.office_ahead or wanted > MOST_AHEAD:
            why = "does not go back" if wanted < case.office_ahead else f"goes at most {MOST_AHEAD.days} days ahead"
            now = office_now(case).isoformat()
            raise Problem(400, "INVALID_REQUEST", f"to: office time {why}", field="to", office_now=now)
        case.office_ahead = wanted
    await expire(desk, case_id)
    look(desk)
    return wanted
