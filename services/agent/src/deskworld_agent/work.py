"""The loop of an agent: claim a turn, act in it, end it; several side by side, until told to stop."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from deskworld_agent.door import AgentDoor, OpenTurn
from deskworld_agent.errors import DoorFailed, LeaseLost
from deskworld_agent.patience import growing, pause

log = logging.getLogger(__name__)

Act = Callable[[OpenTurn], Awaitable[None]]
"""What an agent is: it gets a turn and makes its moves by calling tools. Ending the turn is not its business."""

T = TypeVar("T")
TURN_SECONDS = 600.0


async def work(
    door: AgentDoor, act: Act, *, stop: asyncio.Event, side_by_side: int = 8, turn_seconds: float = TURN_SECONDS
) -> None:
    """Works until `stop` is set; turns that are being acted in then are brought to their end."""
    absence = _Absence()
    async with asyncio.TaskGroup() as workers:
        for _ in range(side_by_side):
            workers.create_task(_worker(door, act, stop, turn_seconds, absence))


async def _worker(door: AgentDoor, act: Act, stop: asyncio.Event, turn_seconds: float, absence: "_Absence") -> None:
    pauses = growing()
    while not stop.is_set():
        try:
            turn = await _unless(stop, door.claim())
        except DoorFailed as failed:
            absence.begins(failed)
            await pause(next(pauses), unless=stop)
            continue
        if not stop.is_set():
            absence.ends()
        pauses = growing()
        if turn is not None:
            await work_turn(turn, act, turn_seconds=turn_seconds)


class _Absence:
    """Of the door: said once when it begins and once when it ends, however many are waiting."""

    def __init__(self) -> None:
        self._lasts = False

    def begins(self, why: DoorFailed) -> None:
        if not self._lasts:
            log.warning("no turn could be claimed: %s", why)
        self._lasts = True

    def ends(self) -> None:
        if self._lasts:
            log.warning("turns can be claimed again")
        self._lasts = False


async def work_turn(turn: OpenTurn, act: Act, *, turn_seconds: float = TURN_SECONDS) -> None:
    """One turn from its first call to its end, with heartbeats. An agent that fails ends its turn, not the loop."""
    acting = asyncio.ensure_future(act(turn))
    beating = asyncio.create_task(_beat(turn))
    try:
        await asyncio.wait({acting, beating}, timeout=turn_seconds, return_when=asyncio.FIRST_COMPLETED)
        if not acting.done():
            if beating.done():
                log.warning("the lease of turn %s was lost", turn.turn.turn_id)
                return
            turn.how = "TIMEOUT"
        elif not _acted(turn, acting):
            return
        await turn.end()
    except DoorFailed as failed:
        log.warning("turn %s could not be ended: %s", turn.turn.turn_id, failed)
    finally:
        await _put_away(acting, beating)


def _acted(turn: OpenTurn, acting: asyncio.Future[None]) -> bool:
    """Whether there is still a turn to end."""
    error = asyncio.CancelledError() if acting.cancelled() else acting.exception()
    if isinstance(error, LeaseLost):
        log.warning("the lease of turn %s was lost", turn.turn.turn_id)
        return False
    if isinstance(error, DoorFailed) and error.away:
        # no fault of the agent's: the turn is told again to whoever claims it when its lease ends
        log.warning("turn %s is left to its lease: %s", turn.turn.turn_id, error)
        return False
    if error is not None:
        log.error("the agent failed in turn %s", turn.turn.turn_id, exc_info=error)
        turn.how = "PROVIDER"
    return True


async def _beat(turn: OpenTurn) -> None:
    """Returns when the lease is lost. A beat that did not get through is followed by the next."""
    while True:
        await pause(turn.turn.lease / 3)
        try:
            await turn.heartbeat()
        except LeaseLost:
            return
        except DoorFailed as failed:
            log.warning("no heartbeat: %s", failed)


async def _unless(stop: asyncio.Event, asked: Coroutine[Any, Any, T]) -> T | None:
    """The answer, or None when `stop` came first."""
    answer = asyncio.create_task(asked)
    stopped = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({answer, stopped}, return_when=asyncio.FIRST_COMPLETED)
        return answer.result() if answer.done() else None
    finally:
        await _put_away(answer, stopped)


async def _put_away(*tasks: "asyncio.Future[Any]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
