"""What an event of the system of record does to cases that are open: it closes, wakes or outdates them."""

from sqlalchemy import bindparam, select, update

from deskworld_desk.cases.docket import Docket
from deskworld_desk.cases.memory import remember
from deskworld_desk.cases.rules import stop_without_run
from deskworld_desk.cases.states import State
from deskworld_desk.cases.tables import Case
from deskworld_desk.decisions.deciding import stale
from deskworld_desk.decisions.proposing import UNDECIDED, withdraw_open
from deskworld_desk.decisions.tables import Decision, Proposal
from deskworld_desk.desk import Desk
from deskworld_desk.letters.tables import Letter
from deskworld_desk.questions.tables import Question
from deskworld_desk.timeline.kinds import Actor, EventCause, EventIgnored, EventReceived
from deskworld_desk.turns import inputs
from deskworld_desk.world import Cause, Changed, Closes, Heard, Rechecked
from deskworld_kit import clock
from deskworld_kit.plans import constant

ERP = Actor(type="erp", id="erp")
_DROP_QUESTIONS = constant(
    update(Question)
    .where(Question.case_id == bindparam("of_case"), Question.state == "OPEN")
    .values(state="WITHDRAWN")
    .execution_options(synchronize_session=False)
)
_AWAIT_NOTHING = constant(
    update(Letter)
    .where(Letter.case_id == bindparam("of_case"))
    .values(awaited=False)
    .execution_options(synchronize_session=False)
)
_OWNER = constant(select(Decision.case_id).where(Decision.id == bindparam("decision_id")))
_OUTDATED = constant(
    select(Decision, Proposal)
    .join(Proposal, Proposal.id == Decision.proposal_id)
    .where(
        Decision.case_id == bindparam("case_id"),
        Decision.state.in_(UNDECIDED),
        Proposal.record_version < bindparam("version"),
        Decision.id != bindparam("but"),
    )
)


async def close(docket: Docket, heard: Heard, closes: Closes) -> bool:
    """False when there is no such case yet, here and in `recheck`."""
    case = docket.cases.get(closes.case_id)
    if case is None:
        return False
    if case.state == State.RESOLVED:
        ignore(docket, case, heard, "closed")
        return True
    decision = await docket.session.get(Decision, closes.cause.decision_id) if closes.cause.decision_id else None
    received = docket.write(case, received_row(heard, closes.cause), ERP, _own_cause(case, decision))
    settled_by_sibling = decision is not None and decision.case_id != case.id
    await withdraw_open(docket, case, why="settled" if settled_by_sibling else "closed", cause=received)
    await let_go(docket, case)
    case.resolved_by = {
        "kind": closes.cause.kind,
        "id": closes.cause.id,
        "decision_id": closes.cause.decision_id,
    }
    docket.move(case, State.RESOLVED, f"resolved by {closes.cause.kind}", received)
    return True


def _own_cause(case: Case, decision: Decision | None) -> int | None:
    """The row of the case's own decision that the event comes from."""
    return decision.made_seq if decision is not None and decision.case_id == case.id else None


async def let_go(docket: Docket, case: Case) -> None:
    """Nothing of this case is asked or told any more."""
    case.rules_run = case.rules_since = None
    await inputs.drop_untold(docket, case)
    await docket.session.execute(_DROP_QUESTIONS, {"of_case": case.id})
    await docket.session.execute(_AWAIT_NOTHING, {"of_case": case.id})


async def recheck(docket: Docket, desk: Desk, heard: Heard, happening: Rechecked) -> bool:
    case = docket.cases.get(happening.case_id)
    if case is None:
        return False
    if case.state == State.RESOLVED:
        ignore(docket, case, heard, "closed")
        return True
    remember(case, happening.remembers, happening.version)
    if happening.version < case.rechecked_version:
        ignore(docket, case, heard, "old-version")
        return True
    received = docket.write(case, received_row(heard, happening.cause), ERP)
    case.rechecked_version, case.held = happening.version, happening.held
    case.record_version = max(case.record_version, happening.version)
    if not await _is_own_command(docket, case, happening.cause):
        await _wake(docket, desk, case, happening.cause, received)
    return True


async def _wake(docket: Docket, desk: Desk, case: Case, cause: Cause, received: int) -> None:
    told = inputs.rechecked(case, cause)
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
    return bool(await docket.session.scalar(_OWNER, {"decision_id": cause.decision_id}) == case.id)


async def change(docket: Docket, desk: Desk, heard: Heard, changed: Changed) -> None:
    """The record has a new version: an open decision on an older one is stale. Our own command's echo is noted."""
    echoed = await docket.session.get(Decision, changed.decision_id) if changed.decision_id else None
    if echoed is not None and (case := docket.cases.get(echoed.case_id)) is not None:
        echoed.echo_at = clock.now()
        docket.write(case, received_row(heard, None), ERP, _own_cause(case, echoed))
    for case in docket.cases.values():
        case.record_version = max(case.record_version, changed.version)
        if changed.version >= case.status_version:
            case.record_status, case.status_version = changed.status, changed.version
        if not changed.final:
            await _outdate(docket, desk, heard, case, changed)


async def _outdate(docket: Docket, desk: Desk, heard: Heard, case: Case, changed: Changed) -> None:
    of = {"case_id": case.id, "version": changed.version, "but": changed.decision_id or ""}
    found = await docket.session.execute(_OUTDATED, of)
    for decision, proposal in found.all():
        received = docket.write(case, received_row(heard, None), ERP)
        await stale(docket, desk, case, decision, proposal, cause=received)


def ignore(docket: Docket, case: Case, heard: Heard, why: str) -> None:
    entry = EventIgnored.model_validate({"event_id": heard.event_id, "type": heard.type, "why": why})
    docket.write(case, entry, ERP)


def received_row(heard: Heard, cause: Cause | None) -> EventReceived:
    event_cause = EventCause(kind=cause.kind, id=cause.id, decision_id=cause.decision_id) if cause else None
    return EventReceived(event_id=heard.event_id, type=heard.type, subject=heard.subject, event_cause=event_cause)
