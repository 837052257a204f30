"""A controller pauses all agents. No turn begins; calls of running turns are refused; what they were told is kept.

When agents may go on, what gathered is told in the order in which it came up.
"""

from datetime import datetime
from typing import Any

from asyncpg.exceptions import UniqueViolationError
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deskworld_desk.desk import Desk
from deskworld_desk.turns.controllers import controller
from deskworld_desk.turns.inputs import untold_cases
from deskworld_desk.turns.tables import AgentPause
from deskworld_kit import clock, ids
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem


async def open_pause(session: AsyncSession) -> AgentPause | None:
    return await session.scalar(select(AgentPause).where(AgentPause.resumed_at.is_(None)))


async def pause_agents(desk: Desk, who: Principal, reason: str) -> datetime:
    """Since when. Raises Problem 403 to all but controllers, 409 AGENTS_PAUSED when they are."""
    by, now = controller(who, "pause all agents").model_dump(), clock.now()
    pause = AgentPause(id=ids.new_id(), paused_at=now, paused_by=by, reason=reason, resumed_at=None, resumed_by=None)
    async with desk.turnstile.turning:
        try:
            async with desk.db.transaction() as session:
                session.add(pause)
        except UniqueViolationError as error:
            raise Problem(409, "AGENTS_PAUSED", "All agents are paused already.") from error
        desk.turnstile.hold()
    return now


async def resume_agents(desk: Desk, who: Principal) -> int:
    """How many cases have something to tell. Raises Problem 403 to all but controllers, 409 NOT_PAUSED."""
    by = controller(who, "let agents go on").model_dump()
    async with desk.turnstile.turning:
        async with desk.db.transaction() as session:
            pause = await open_pause(session)
            if pause is None:
                raise Problem(409, "NOT_PAUSED", "Agents are not paused.")
            pause.resumed_at, pause.resumed_by = clock.now(), by
            waiting = await untold_cases(session)
        desk.turnstile.release(waiting)
    return len(waiting)


async def hold_while_paused(desk: Desk) -> None:
    """At start-up: a pause outlasts the desk's process."""
    async with desk.db.transaction() as session:
        if await open_pause(session) is not None:
            desk.turnstile.hold()


async def pauses(session: AsyncSession, most: int = 50) -> list[dict[str, Any]]:
    """The newest first."""
    found = await session.scalars(select(AgentPause).order_by(AgentPause.paused_at.desc()).limit(most))
    return [
        {
            "paused_at": one.paused_at.isoformat(),
            "paused_by": one.paused_by,
            "reason": one.reason,
            "resumed_at": one.resumed_at.isoformat() if one.resumed_at else None,
            "resumed_by": one.resumed_by,
        }
        for one in found
    ]
