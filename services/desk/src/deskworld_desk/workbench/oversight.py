"""What those who answer for the desk see of it: whether agents work, what is held, what waits, and budgets."""

from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from deskworld_desk.cases.tables import Case
from deskworld_desk.cases.view import stamp
from deskworld_desk.decisions.proposing import UNDECIDED
from deskworld_desk.decisions.tables import Decision
from deskworld_desk.desk import Desk
from deskworld_desk.flags.tables import Flag
from deskworld_desk.letters.tables import Letter, Mail
from deskworld_desk.questions.tables import Question
from deskworld_desk.turns.budgets import INPUT_TOKENS_PER_CASE, TURNS_PER_CASE
from deskworld_desk.turns.inputs import untold_cases
from deskworld_desk.turns.pausing import pauses
from deskworld_desk.turns.tables import Input, Turn

SHOWN = 200
_AWAITED = select(func.count()).where(Letter.awaited, Letter.state == "SENT")


async def oversight(desk: Desk) -> dict[str, Any]:
    """One moment: all of it is read in one transaction."""
    async with desk.db.transaction() as session:
        past = await pauses(session)
        paused = past[0] if past and past[0]["resumed_at"] is None else None
        held = await untold_cases(session)
        return {
            "agents": {"paused": paused is not None, "pause": paused, "clients_waiting": desk.turnstile.clients},
            "pauses": past,
            "running": await _running(session),
            "held": {"inputs": await _untold(session, held), "cases": held[:SHOWN]},
            "cases": await _counted(session, select(Case.state, func.count()).group_by(Case.state)),
            "waiting": {
                "decisions": await _decisions(session),
                "questions": await _count(session, select(func.count()).where(Question.state == "OPEN")),
                "answers_by_mail": await _count(
                    session, select(func.count()).where(Letter.awaited, Letter.state == "SENT")
                ),
                "unmatched_mail": await _count(session, select(func.count()).where(Mail.state == "ASIDE")),
                "flags": await _count(session, select(func.count()).where(Flag.state != "CLEARED")),
            },
            "budget": {"turns": TURNS_PER_CASE, "input_tokens": INPUT_TOKENS_PER_CASE},
        }


async def _running(session: AsyncSession) -> list[dict[str, Any]]:
    found = await session.scalars(select(Turn).where(Turn.ended_at.is_(None)).order_by(Turn.started_at).limit(SHOWN))
    return [
        {
            "turn_id": one.id,
            "case_id": one.case_id,
            "agent": one.agent,
            "number": one.number,
            "since": stamp(one.started_at),
        }
        for one in found
    ]


async def _untold(session: AsyncSession, cases: list[str]) -> int:
    untold = Input.turn_id.is_(None), Input.dropped_at.is_(None), Input.case_id.in_(cases)
    return await _count(session, select(func.count()).where(*untold)) if cases else 0


async def _decisions(session: AsyncSession) -> list[dict[str, Any]]:
    found = await session.execute(
        select(Decision.role, Decision.user, func.count(), func.min(Decision.requested_at))
        .where(Decision.state.in_(UNDECIDED))
        .group_by(Decision.role, Decision.user)
        .order_by(func.min(Decision.requested_at))
    )
    return [
        {"whom": {"role": role, "user": user}, "count": count, "oldest": stamp(oldest)}
        for role, user, count, oldest in found
    ]


async def _counted(session: AsyncSession, query: Any) -> dict[str, int]:
    return dict((await session.execute(query)).all())


async def _count(session: AsyncSession, query: Any) -> int:
    return int(await session.scalar(query) or 0)
