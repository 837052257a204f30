"""How a turn ended: said by the client where the client knows, seen by the desk where it does not."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Literal

from sqlalchemy import bindparam, select, update

from deskworld_desk.cases.docket import Docket
from deskworld_desk.cases.states import State
from deskworld_desk.cases.tables import Case
from deskworld_desk.desk import Desk
from deskworld_desk.timeline.kinds import Actor, CaseMoved, TurnEnded, TurnHow
from deskworld_desk.timeline.tables import TimelineRow
from deskworld_desk.turns.fingerprint import fingerprint
from deskworld_desk.turns.inputs import drop_untold, untold_cases
from deskworld_desk.turns.tables import Call, Input, Turn
from deskworld_kit import clock
from deskworld_kit.plans import constant
from deskworld_kit.problems import Problem

ClientHow = Literal["COMPLETED", "PROVIDER", "TOKEN_LIMIT", "TIMEOUT"]
CALLS_PER_TURN = 40
PAUSED = "AGENTS_PAUSED"
ATTEMPTS = 3
_QUIET: dict[str, TurnHow] = {"keep_hold": "KEPT", "wait": "WAITING"}


def what_was_seen(calls: Sequence[tuple[str, str, str]], *, idle: bool) -> TurnHow:
    """`calls`: tool, sort, outcome, in order. The last move that stood says how a completed turn ended.

    Without one: TOOL_LIMIT when the calls ran out, INVALID when moves were tried and none stood, COMPLETED when the
    turn was `idle` (there was nothing for it to do), and else EMPTY.
    """
    moves = [(tool, outcome) for tool, sort, outcome in calls if sort in {"ask", "move"}]
    stood = [tool for tool, outcome in moves if outcome == "OK"]
    if stood:
        return _QUIET.get(stood[-1], "COMPLETED")
    if len(calls) >= CALLS_PER_TURN:
        return "TOOL_LIMIT"
    if moves:
        return "INVALID"
    return "COMPLETED" if idle else "EMPTY"


async def end_turn(desk: Desk, turn_id: str, how: ClientHow, usage: list[dict[str, Any]]) -> TurnHow:
    """Records how it ended. A case that is left without a move, an answer awaited or an input untold needs a person."""
    async with _turn_docket(desk, turn_id) as docket:
        turn = await docket.session.get_one(Turn, turn_id)
        if turn.ended_at is not None:
            return _ended_before(turn)
        case = docket.cases[turn.case_id]
        calls = await _calls(docket, turn)
        idle = await _idle(docket, case, turn)
        seen = what_was_seen([(call.tool, call.sort, call.outcome) for call in calls], idle=idle)
        ended: TurnHow = seen if how == "COMPLETED" else how
        case.input_tokens += sum(item.get("input", 0) for item in usage)
        row = _close(docket, case, turn, calls, ended, usage)
        if not _moved(calls) and _hindered(desk, calls):
            await _untell(docket, turn)
        await _go_on(docket, desk, case, row, "a turn ended without a move")
        docket.after(partial(_over, desk, turn, ended))
        return ended


async def beat(desk: Desk, turn_id: str) -> None:
    """Raises Problem 409 LEASE_LOST."""
    now = clock.now()
    async with desk.db.transaction() as session:
        turn = await session.scalar(select(Turn).where(Turn.id == turn_id, Turn.ended_at.is_(None)).with_for_update())
        if turn is None:
            raise lease_lost()
        until = renew(turn, now)
    watch_lease(desk, turn_id, until)


def renew(turn: Turn, now: datetime) -> datetime:
    """A sign of life; until when the turn is its client's, which is never longer than its token lives."""
    turn.lease_until = min(now + timedelta(seconds=turn.lease_seconds), turn.token_until)
    return turn.lease_until


def watch_lease(desk: Desk, turn_id: str, until: datetime) -> None:
    def look() -> None:
        desk.background.start_due(partial(_look, desk, turn_id), name=f"lease {turn_id}")

    desk.leases.watch(turn_id, until, look)


async def resume_turns(desk: Desk) -> None:
    """After a restart or an outage: running turns are watched again, untold inputs are offered, oldest first."""
    async with desk.db.transaction() as session:
        running = await session.execute(select(Turn.id, Turn.lease_until).where(Turn.ended_at.is_(None)))
        for turn_id, until in running:
            watch_lease(desk, turn_id, until)
        for case_id in await untold_cases(session):
            desk.turnstile.offer(case_id)


def lease_lost() -> Problem:
    return Problem(409, "LEASE_LOST", "this turn is no longer yours: its lease ran out, or it has ended")


async def _look(desk: Desk, turn_id: str) -> None:
    async with _turn_docket(desk, turn_id) as docket:
        turn = await docket.session.get_one(Turn, turn_id)
        if turn.ended_at is not None:
            return
        if turn.lease_until > clock.now():
            docket.after(lambda: watch_lease(desk, turn_id, turn.lease_until))
            return
        await _lose(docket, desk, docket.cases[turn.case_id], turn)


async def give_back(desk: Desk, turn_id: str) -> None:
    """The client never got the turn: it is over at once, and not only when its lease ends."""
    async with _turn_docket(desk, turn_id) as docket:
        turn = await docket.session.get_one(Turn, turn_id)
        if turn.ended_at is None:
            await _lose(docket, desk, docket.cases[turn.case_id], turn)


async def _lose(docket: Docket, desk: Desk, case: Case, turn: Turn) -> None:
    """What was told is told again to the next client, twice; a turn that had made its move is simply over."""
    calls = await _calls(docket, turn)
    row = _close(docket, case, turn, calls, "LEASE_LOST", [])
    if not _moved(calls) and (turn.attempt < ATTEMPTS or _hindered(desk, calls)):
        await _untell(docket, turn)
    await _go_on(docket, desk, case, row, f"the lease was lost {turn.attempt} times")
    docket.after(partial(_over, desk, turn, "LEASE_LOST"))


async def _idle(docket: Docket, case: Case, turn: Turn) -> bool:
    """Whether the case was decided, held or waiting for somebody at some moment of the turn.

    What came to pass in its middle is told to the turn after it, which is the one that has to move.
    """
    if case.state != State.INVESTIGATING:
        return True
    moved = await docket.session.scalar(
        select(TimelineRow.seq)
        .where(TimelineRow.case_id == case.id, TimelineRow.seq > turn.started_seq, TimelineRow.kind == CaseMoved.kind)
        .limit(1)
    )
    return moved is not None


def _moved(calls: Sequence[Call]) -> bool:
    return any(call.sort in {"ask", "move"} and call.outcome == "OK" for call in calls)


def _hindered(desk: Desk, calls: Sequence[Call]) -> bool:
    """A pause kept the agent from its move: that is no fault of the agent's and nothing for a person to settle."""
    return desk.turnstile.held or any(call.answer.get("code") == PAUSED for call in calls)


async def _untell(docket: Docket, turn: Turn) -> None:
    """What the turn was told is told again."""
    await docket.session.execute(
        update(Input).where(Input.turn_id == turn.id, Input.dropped_at.is_(None)).values(turn_id=None)
    )


async def _go_on(docket: Docket, desk: Desk, case: Case, row: int, why: str) -> None:
    untold = await docket.session.scalar(
        select(Input.id).where(Input.case_id == case.id, Input.turn_id.is_(None), Input.dropped_at.is_(None)).limit(1)
    )
    if untold is not None and case.state != State.NEEDS_PERSON:
        docket.after(lambda: desk.turnstile.offer(case.id))
    elif case.state == State.INVESTIGATING and case.rules_run is None:
        docket.move(case, State.NEEDS_PERSON, why, row)
        await drop_untold(docket, case)


def _close(
    docket: Docket, case: Case, turn: Turn, calls: Sequence[Call], how: TurnHow, usage: list[dict[str, Any]]
) -> int:
    turn.ended_at, turn.how, turn.usage = clock.now(), how, usage
    turn.fingerprint = fingerprint([(call.round, call.tool, call.outcome) for call in calls], how)
    entry = TurnEnded(
        turn_id=turn.id, how=how, usage=tuple(usage), fingerprint=turn.fingerprint, labels=tuple(turn.labels)
    )
    return docket.write(case, entry, Actor(type="agent", id=turn.agent), turn.started_seq)


_CALLS = constant(select(Call).where(Call.turn_id == bindparam("turn_id")).order_by(Call.position))


async def _calls(docket: Docket, turn: Turn) -> Sequence[Call]:
    return (await docket.session.scalars(_CALLS, {"turn_id": turn.id})).all()


def _ended_before(turn: Turn) -> TurnHow:
    if turn.how is None or turn.how == "LEASE_LOST":
        raise lease_lost()
    return turn.how  # type: ignore[return-value] # stored from the closed set


def _over(desk: Desk, turn: Turn, how: TurnHow) -> None:
    desk.leases.forget(turn.id)
    desk.rounds.forget(turn.id)
    if desk.watch is not None:
        desk.watch.turn_ended(turn, how, turn.usage)


def _turn_docket(desk: Desk, turn_id: str) -> AbstractAsyncContextManager[Docket]:
    record = select(Case.record_id).join(Turn, Turn.case_id == Case.id).where(Turn.id == turn_id).scalar_subquery()
    return desk.dockets.of_record(record)
