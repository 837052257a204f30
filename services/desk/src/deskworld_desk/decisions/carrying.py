"""A decision is carried out with the decider's own token, which is held in memory and never stored.

The second transaction records what became of it. When the token runs out first, or after a restart, the system of
record is asked what became of the key; if it never heard of it, the case waits on the same person.
"""

from dataclasses import dataclass
from functools import partial

from sqlalchemy import select

from deskworld_desk.cases.docket import DESK, Docket
from deskworld_desk.cases.intake import apply_pending
from deskworld_desk.cases.memory import remember
from deskworld_desk.cases.rules import stop_without_run
from deskworld_desk.cases.states import State
from deskworld_desk.cases.tables import Case
from deskworld_desk.decisions.deciding import stale
from deskworld_desk.decisions.tables import Decision, Proposal
from deskworld_desk.desk import Desk
from deskworld_desk.outage import persistently
from deskworld_desk.timeline.kinds import Actor, CommandApplied, CommandRefused, DecisionNeedsDecider, Person
from deskworld_desk.turns import inputs
from deskworld_desk.world import Carried, Order, Unreachable, World
from deskworld_kit import clock

ERP = Actor(type="erp", id="erp")
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """The decision's state once its outcome is on record."""

    state: str
    code: str | None
    detail: str | None


async def carry_out(desk: Desk, world: World, order: Order, token: str, expires_at: float) -> Outcome:
    """Sends the command until it is answered or the token ends, and records the outcome."""
    carried = await _send(world, order, token, expires_at)
    if carried is None or carried.outcome == "unauthorised":
        carried = await _ask_outcome(world, order.key)
    record = partial(_record, desk, world, order.case_id, order.key, carried)
    return await persistently(record, doing=carrying(order.key))


async def resume_decisions(desk: Desk) -> None:
    """After a restart or an outage: decisions that were made, whose outcome is not on record and nobody works on."""
    async with desk.db.transaction() as session:
        for decision_id in await session.scalars(select(Decision.id).where(Decision.state == "MADE")):
            if desk.background.running(carrying(decision_id)) is None:
                desk.unsettled.put(decision_id)


async def settle(desk: Desk, decision_id: str) -> None:
    """Starts finding out; the ERP may be away for long, and the next decision must not wait for that."""
    desk.background.start_due(partial(find_out, desk, decision_id), name=carrying(decision_id))


def carrying(decision_id: str) -> str:
    """The name of the work on a decision."""
    return f"decision {decision_id}"


async def find_out(desk: Desk, decision_id: str) -> Outcome:
    """What became of a decision that was made and whose outcome is not on record."""
    async with desk.db.transaction() as session:
        decision = await session.get_one(Decision, decision_id)
        case = await session.get_one(Case, decision.case_id)
    world = desk.worlds[case.world]
    return await _record(desk, world, case.id, decision_id, await _ask_outcome(world, decision_id))


async def _send(world: World, order: Order, token: str, expires_at: float) -> Carried | None:
    """None when the token ended before an answer came."""
    pause = FIRST_PAUSE
    while clock.now().timestamp() < expires_at:
        try:
            return await world.carry(order, token)
        except Unreachable as error:
            wait = max(pause, error.retry_after or 0.0)
            await clock.pause(min(wait, max(0.0, expires_at - clock.now().timestamp())))
            pause = min(pause * 2, LONGEST_PAUSE)
    return None


async def _ask_outcome(world: World, key: str) -> Carried:
    """Asks until there is an answer: without one nothing true can be recorded."""
    pause = FIRST_PAUSE
    while True:
        try:
            return await world.outcome(key)
        except Unreachable:
            await clock.pause(pause)
            pause = min(pause * 2, LONGEST_PAUSE)


async def _record(desk: Desk, world: World, case_id: str, decision_id: str, carried: Carried) -> Outcome:
    async with desk.dockets.of_case(case_id) as docket:
        case = docket.cases[case_id]
        decision = await docket.session.get_one(Decision, decision_id)
        if decision.state == "MADE":
            proposal = await docket.session.get_one(Proposal, decision.proposal_id)
            if carried.outcome == "applied":
                _applied(docket, desk, world, case, decision, proposal, carried)
            elif carried.outcome in {"refused", "stale"}:
                await _refused(docket, desk, case, decision, proposal, carried)
            else:
                _needs_decider(docket, case, decision, carried)
            # events that this very command caused waited for its outcome, so that the record reads in one order
            await docket.session.flush()
            await apply_pending(docket, desk, world)
        return Outcome(decision.state, decision.code, decision.detail)


def _applied(
    docket: Docket,
    desk: Desk,
    world: World,
    case: Case,
    decision: Decision,
    proposal: Proposal,
    carried: Carried,
) -> None:
    action = world.actions[proposal.action]
    decision.state = "APPLIED"
    entry = CommandApplied(
        decision_id=decision.id,
        action=proposal.action,
        amount=carried.amount,
        status=carried.status,
        version=carried.version,
        key=decision.id,
    )
    row = docket.write(case, entry, ERP, decision.made_seq)
    remember(case, action.remembers, carried.version)
    # a re-check from before the command may still be on its way: it must not undo what the command did
    case.rechecked_version = max(case.rechecked_version, carried.version)
    if carried.version >= case.status_version:
        case.record_status, case.status_version = carried.status, carried.version
    if action.effect == "ends":
        return
    case.held = True
    if case.state != State.RESOLVED:
        docket.move(case, State.ON_HOLD, f"{proposal.action} was carried out", row)
    if case.owner == "agent" and proposal.proposer == "agent":
        inputs.tell(docket, desk, case, inputs.decision(decision.id, "applied", proposal.action), row)


async def _refused(
    docket: Docket, desk: Desk, case: Case, decision: Decision, proposal: Proposal, carried: Carried
) -> None:
    decision.code, decision.detail = carried.code, carried.detail
    entry = CommandRefused(
        decision_id=decision.id, action=proposal.action, code=carried.code, detail=carried.detail, key=decision.id
    )
    row = docket.write(case, entry, ERP, decision.made_seq)
    if carried.outcome == "stale":
        if case.state == State.RESOLVED:
            decision.state = "STALE"
        else:
            await stale(docket, desk, case, decision, proposal, cause=row)
        return
    decision.state = "REFUSED"
    if case.state == State.RESOLVED:
        return
    if proposal.proposer == "person":
        docket.move(case, State.NEEDS_PERSON, f"the command was refused: {carried.code}", row)
        return
    docket.move(case, State.INVESTIGATING, f"the command was refused: {carried.code}", row)
    told = inputs.decision(
        decision.id, "refused", proposal.action, words=decision.words, code=carried.code, detail=carried.detail
    )
    if case.owner == "rules":
        await stop_without_run(docket, desk, case, reason="refused", cause=row)
    inputs.tell(docket, desk, case, told, row)


def _needs_decider(docket: Docket, case: Case, decision: Decision, carried: Carried) -> None:
    why = carried.detail or "the command did not reach the system of record before the token ended"
    if case.state == State.RESOLVED:
        decision.state, decision.detail = "WITHDRAWN", why
        return
    decision.state = "NEEDS_DECIDER"
    whom = Person(username=decision.by_username or "", sub=decision.by_sub or "")
    docket.write(case, DecisionNeedsDecider(decision_id=decision.id, whom=whom, why=why), DESK, decision.made_seq)
