"""Events of the system of record become cases, exactly once, and close, wake or outdate them."""

from functools import partial

from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert

from deskworld_desk.cases.docket import Docket
from deskworld_desk.cases.rules import due_rules, stop_without_run
from deskworld_desk.cases.snapshot import snapshot
from deskworld_desk.cases.states import State
from deskworld_desk.cases.tables import Case, Event, PartyRules
from deskworld_desk.decisions.deciding import stale
from deskworld_desk.decisions.proposing import UNDECIDED, withdraw_open
from deskworld_desk.decisions.tables import Decision, Proposal
from deskworld_desk.desk import Desk
from deskworld_desk.letters.tables import Letter
from deskworld_desk.questions.tables import Question
from deskworld_desk.timeline.kinds import Actor, CaseOpened, EventCause, EventIgnored, EventReceived
from deskworld_desk.turns import inputs
from deskworld_desk.world import Cause, Changed, Closes, Heard, Json, Opens, Rechecked, World
from deskworld_kit import chain, clock

ERP = Actor(type="erp", id="erp")


async def take_event(desk: Desk, world: World, heard: Heard, body: Json) -> None:
    """Records the event and does what it means for cases, in one transaction. A repeated one changes nothing."""
    record_id = heard.happening.record_id if heard.happening else None
    async with desk.dockets.of_record(record_id) as docket:
        now = clock.now()
        fresh = await docket.session.scalar(
            insert(Event)
            .values(
                id=heard.event_id,
                world=world.name,
                type=heard.type,
                subject=heard.subject,
                record_id=record_id,
                decision_id=heard.decision_id,
                body=body,
                received_at=now,
                handled_at=now,
            )
            .on_conflict_do_nothing()
            .returning(Event.id)
        )
        if fresh is None:
            _note_repeated(docket, heard)
        elif heard.happening is not None:
            if await _must_wait(docket, desk, heard):
                await docket.session.execute(update(Event).where(Event.id == heard.event_id).values(handled_at=None))
            else:
                await _apply(docket, desk, world, heard)


async def apply_pending(docket: Docket, desk: Desk, world: World) -> None:
    """Events of this docket's record that waited for the outcome of the command that caused them, oldest first."""
    records = {case.record_id for case in docket.cases.values()}
    waiting = await docket.session.scalars(
        select(Event).where(Event.record_id.in_(records), Event.handled_at.is_(None)).order_by(Event.position)
    )
    for event in list(waiting):
        await _apply(docket, desk, world, world.hear(event.body))
        event.handled_at = clock.now()


async def _must_wait(docket: Docket, desk: Desk, heard: Heard) -> bool:
    """An event of a command whose outcome is not on record yet waits for it, and so do those behind it."""
    if not docket.cases:
        return False
    decision = await docket.session.get(Decision, heard.decision_id) if heard.decision_id else None
    if decision is not None and decision.state == "NEEDS_DECIDER":
        # it was carried out after all
        decision.state = "MADE"
        docket.after(partial(desk.unsettled.put, decision.id))
    if decision is not None and decision.state == "MADE":
        return True
    behind = await docket.session.scalar(
        select(Event.id)
        .where(
            Event.record_id.in_({case.record_id for case in docket.cases.values()}),
            Event.handled_at.is_(None),
            Event.id != heard.event_id,
        )
        .limit(1)
    )
    return behind is not None


async def _apply(docket: Docket, desk: Desk, world: World, heard: Heard) -> None:
    match heard.happening:
        case Opens() as opens:
            await _open(docket, desk, world, heard, opens)
        case Closes() as closes:
            await _close(docket, heard, closes)
        case Rechecked() as rechecked:
            await _recheck(docket, desk, heard, rechecked)
        case Changed() as changed:
            await _change(docket, desk, heard, changed)


async def _open(docket: Docket, desk: Desk, world: World, heard: Heard, opens: Opens) -> None:
    if opens.case_id in docket.cases:
        _ignore(docket, docket.cases[opens.case_id], heard, "repeated")
        return
    told = await docket.session.scalar(select(PartyRules.rules).where(PartyRules.party_id == opens.party_id))
    case = _new_case(world, opens, rules=told or "on")
    docket.add_case(case)
    received = docket.write(case, _received(heard, opens.cause), ERP)
    opened = docket.write(case, _opened(world, case), Actor(type="desk", id="desk"), received)
    if case.rules == "off":
        await stop_without_run(docket, desk, case, reason="disabled", cause=opened)
    else:
        due_rules(docket, desk, case, why="opened", cause=opened, now=snapshot(case))


async def _close(docket: Docket, heard: Heard, closes: Closes) -> None:
    case = docket.cases.get(closes.case_id)
    if case is None:
        return
    if case.state == State.RESOLVED:
        _ignore(docket, case, heard, "closed")
        return
    decision = await docket.session.get(Decision, closes.cause.decision_id) if closes.cause.decision_id else None
    received = docket.write(case, _received(heard, closes.cause), ERP, _own_cause(case, decision))
    settled_by_sibling = decision is not None and decision.case_id != case.id
    await withdraw_open(docket, case, why="settled" if settled_by_sibling else "closed", cause=received)
    await let_go(docket, case)
    case.resolved_by = {
        "kind": closes.cause.kind,
        "id": closes.cause.id,
        "decision_id": closes.cause.decision_id,
    }
    docket.move(case, State.RESOLVED, f"resolved by {closes.cause.kind}", received)


def _own_cause(case: Case, decision: Decision | None) -> int | None:
    """The row of the case's own decision that the event comes from."""
    return decision.made_seq if decision is not None and decision.case_id == case.id else None


async def let_go(docket: Docket, case: Case) -> None:
    """Nothing of this case is asked or told any more."""
    case.rules_run = case.rules_since = None
    await inputs.drop_untold(docket, case)
    await docket.session.execute(
        update(Question).where(Question.case_id == case.id, Question.state == "OPEN").values(state="WITHDRAWN")
    )
    await docket.session.execute(update(Letter).where(Letter.case_id == case.id).values(awaited=False))


async def _recheck(docket: Docket, desk: Desk, heard: Heard, happening: Rechecked) -> None:
    case = docket.cases.get(happening.case_id)
    if case is None:
        return
    if case.state == State.RESOLVED:
        _ignore(docket, case, heard, "closed")
        return
    if happening.version < case.record_version:
        _ignore(docket, case, heard, "old-version")
        return
    received = docket.write(case, _received(heard, happening.cause), ERP)
    case.record_version, case.held = happening.version, happening.held
    case.memory = {**case.memory, **happening.remembers}
    if await _is_own_command(docket, case, happening.cause):
        return
    told = inputs.rechecked(case, happening.cause)
    if case.owner == "rules":
        if case.state == State.ON_HOLD:
            await stop_without_run(docket, desk, case, reason="rechecked", cause=received)
            inputs.tell(docket, desk, case, told, received)
        return
    if case.state == State.ON_HOLD:
        docket.move(case, State.INVESTIGATING, "rechecked", received)
    inputs.tell(docket, desk, case, told, received)


async def _is_own_command(docket: Docket, case: Case, cause: Cause) -> bool:
    if cause.decision_id is None:
        return False
    owner = await docket.session.scalar(select(Decision.case_id).where(Decision.id == cause.decision_id))
    return owner == case.id


async def _change(docket: Docket, desk: Desk, heard: Heard, changed: Changed) -> None:
    """The record has a new version: an open decision on an older one is stale. Our own command's echo is noted."""
    echoed = await docket.session.get(Decision, changed.decision_id) if changed.decision_id else None
    if echoed is not None:
        echoed.echo_at = clock.now()
        case = docket.cases[echoed.case_id]
        docket.write(case, _received(heard, None), ERP, _own_cause(case, echoed))
    newer = [case for case in docket.cases.values() if changed.version > case.record_version]
    for case in newer:
        case.record_version, case.record_status = changed.version, changed.status
    if changed.final:
        return
    for case in newer:
        await _outdate(docket, desk, heard, case, changed)


async def _outdate(docket: Docket, desk: Desk, heard: Heard, case: Case, changed: Changed) -> None:
    found = await docket.session.execute(
        select(Decision, Proposal)
        .join(Proposal, Proposal.id == Decision.proposal_id)
        .where(
            Decision.case_id == case.id,
            Decision.state.in_(UNDECIDED),
            Proposal.record_version < changed.version,
            Decision.id != (changed.decision_id or ""),
        )
    )
    for decision, proposal in found.all():
        received = docket.write(case, _received(heard, None), ERP)
        await stale(docket, desk, case, decision, proposal, cause=received)


def _note_repeated(docket: Docket, heard: Heard) -> None:
    match heard.happening:
        case Opens(case_id=case_id) | Closes(case_id=case_id) | Rechecked(case_id=case_id):
            about = [docket.cases[case_id]] if case_id in docket.cases else []
        case _:
            about = list(docket.cases.values())
    for case in about:
        _ignore(docket, case, heard, "repeated")


def _ignore(docket: Docket, case: Case, heard: Heard, why: str) -> None:
    entry = EventIgnored.model_validate({"event_id": heard.event_id, "type": heard.type, "why": why})
    docket.write(case, entry, ERP)


def _received(heard: Heard, cause: Cause | None) -> EventReceived:
    event_cause = EventCause(kind=cause.kind, id=cause.id, decision_id=cause.decision_id) if cause else None
    return EventReceived(event_id=heard.event_id, type=heard.type, subject=heard.subject, event_cause=event_cause)


def _opened(world: World, case: Case) -> CaseOpened:
    return CaseOpened.model_validate(
        {
            world.names.subject: case.id,
            world.names.record: case.record_id,
            world.names.party: case.party_id,
            "reason": case.reason,
            "amount": case.amount,
            "currency": case.currency,
            "rules": case.rules,
            "world": world.name,
        }
    )


def _new_case(world: World, opens: Opens, *, rules: str) -> Case:
    return Case(
        id=opens.case_id,
        world=world.name,
        record_id=opens.record_id,
        party_id=opens.party_id,
        reason=opens.reason,
        amount=opens.amount,
        currency=opens.currency,
        opening=opens.opening,
        state=State.INVESTIGATING.value,
        rules=rules,
        owner="rules",
        stopped=None,
        record_version=opens.version,
        record_status=opens.opening.get("status", "unknown"),
        held=opens.held,
        rerun_used=False,
        declined=[],
        turns=0,
        input_tokens=0,
        instructions_seen=False,
        reader_failed=False,
        memory={},
        resolved_by=None,
        seq=0,
        hash=chain.GENESIS,
        opened_at=clock.now(),
    )
