"""A client takes a turn: everything that is to be told on one case, in one piece."""

import asyncio
import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import bindparam, select

from deskworld_desk.cases.docket import DESK, Docket
from deskworld_desk.cases.states import AT_REST, State
from deskworld_desk.cases.tables import Case
from deskworld_desk.desk import Desk
from deskworld_desk.timeline.kinds import Actor, AgentTold, TurnStarted
from deskworld_desk.turns.brief import brief, handle_book, keep_handles
from deskworld_desk.turns.budgets import budget_of
from deskworld_desk.turns.ending import give_back, watch_lease
from deskworld_desk.turns.inputs import drop_untold
from deskworld_desk.turns.leases import LEASE
from deskworld_desk.turns.tables import Input, Turn
from deskworld_kit import clock, ids
from deskworld_kit.plans import constant

TOKEN_LIFE = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Claimed:
    turn_id: str
    case_id: str
    world: str
    number: int
    token: str
    lease: int
    inputs: list[dict[str, Any]]
    brief: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Client:
    """Who claims. `agent` is the name that it goes by, `id` its account's at the identity provider; `model` and
    `playbook` are what it says of itself."""

    agent: str
    id: str
    lease: timedelta = LEASE
    model: str | None = None
    playbook: str | None = None


_LAST = constant(select(Turn).where(Turn.case_id == bindparam("case_id")).order_by(Turn.id.desc()).limit(1))
_UNTOLD = constant(
    select(Input)
    .where(Input.case_id == bindparam("case_id"), Input.turn_id.is_(None), Input.dropped_at.is_(None))
    .order_by(Input.position)
)


async def claim(desk: Desk, client: Client, *, wait: float, gone: asyncio.Future[None]) -> Claimed | None:
    """Waits up to `wait` seconds for a case that has something to tell. No two clients get the same turn.

    `gone` is done once the client hung up: it then gets none, and what it was about to get is offered to another.
    """
    deadline = clock.monotonic() + wait
    while True:
        case_id = await desk.turnstile.take(deadline - clock.monotonic(), gone)
        if case_id is None:
            return None
        beginning = asyncio.ensure_future(_begun(desk, case_id, client))
        try:
            claimed = await asyncio.shield(beginning)
        except asyncio.CancelledError:
            desk.background.start(_take_back(desk, beginning), name=f"take back case {case_id}")
            raise
        if claimed is not None and gone.done():
            await give_back(desk, claimed.turn_id)
            return None
        if claimed is not None:
            return claimed


async def _begun(desk: Desk, case_id: str, client: Client) -> Claimed | None:
    done = False
    try:
        claimed = await _begin(desk, case_id, client)
        done = True
    finally:
        if not done:
            desk.turnstile.hand_back(case_id)
    return claimed


async def _take_back(desk: Desk, beginning: "asyncio.Future[Claimed | None]") -> None:
    """Whoever claimed went away while the turn began."""
    claimed = await beginning
    if claimed is not None:
        await give_back(desk, claimed.turn_id)


def hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


async def _begin(desk: Desk, case_id: str, client: Client) -> Claimed | None:
    async with desk.dockets.of_case(case_id) as docket:
        case = docket.cases[case_id]
        if desk.turnstile.held:
            desk.turnstile.hand_back(case_id)
            return None
        last = await docket.session.scalar(_LAST, {"case_id": case_id})
        if State(case.state) in AT_REST or (last is not None and last.ended_at is None):
            return None
        untold = await _untold(docket, case)
        if not untold:
            return None
        again = last is not None and last.how == "LEASE_LOST" and last.number == case.turns
        if not again and (await budget_of(docket.session, case)).spent:
            await drop_untold(docket, case)
            # what waits on a decider has its person already, and goes on when that one has spoken
            if case.state not in {State.AWAITING_DECISION, State.DECIDED}:
                docket.move(case, State.NEEDS_PERSON, "the case's budget is spent", None)
            return None
        case.turns += 0 if again else 1
        attempt = last.attempt + 1 if again and last is not None else 1
        return await _start(docket, desk, case, untold, client, attempt)


async def _untold(docket: Docket, case: Case) -> Sequence[Input]:
    return (await docket.session.scalars(_UNTOLD, {"case_id": case.id})).all()


async def _start(
    docket: Docket, desk: Desk, case: Case, untold: Sequence[Input], client: Client, attempt: int
) -> Claimed:
    world = desk.worlds[case.world]
    token, turn_id, now = secrets.token_urlsafe(32), ids.new_id(), clock.now()
    turn = Turn(
        id=turn_id,
        case_id=case.id,
        number=case.turns,
        attempt=attempt,
        agent=client.agent,
        model=client.model,
        playbook=client.playbook,
        client=client.id,
        token_hash=hashed(token),
        token_until=now + TOKEN_LIFE,
        lease_seconds=int(client.lease.total_seconds()),
        lease_until=now + client.lease,
        started_at=now,
        labels=[one.label for one in untold],
        ended_at=None,
        how=None,
        usage=[],
        fingerprint=None,
        asked=False,
    )
    started = TurnStarted(turn_id=turn_id, number=case.turns, agent=client.agent, attempt=attempt)
    turn.started_seq = docket.write(case, started, Actor(type="agent", id=client.agent), untold[0].cause)
    docket.session.add(turn)
    told = [_tell(docket, case, one, turn_id) for one in untold]
    book = await handle_book(docket, case)
    head = await brief(docket, world, case, book)
    keep_handles(docket, case, book)
    docket.after(lambda: watch_lease(desk, turn_id, turn.lease_until))
    return Claimed(turn_id, case.id, case.world, case.turns, token, turn.lease_seconds, told, head)


def _tell(docket: Docket, case: Case, one: Input, turn_id: str) -> dict[str, Any]:
    told = {"type": one.type, "label": one.label, **one.payload}
    entry = AgentTold(input=one.type, label=one.label, subject=one.subject, digest=docket.keep(told))
    docket.write(case, entry, DESK, one.cause)
    one.turn_id = turn_id
    return told
