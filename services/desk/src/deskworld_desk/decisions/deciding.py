"""A person decides. The first of the two transactions: the decision is on record before any command goes out."""

from dataclasses import dataclass
from typing import Literal

from sqlalchemy import bindparam, select

from deskworld_desk.cases.docket import Docket
from deskworld_desk.cases.rules import due_rules, stop_without_run
from deskworld_desk.cases.states import State
from deskworld_desk.cases.tables import Case
from deskworld_desk.decisions.proposing import withdraw
from deskworld_desk.decisions.tables import Decision, Proposal
from deskworld_desk.desk import Desk
from deskworld_desk.timeline.kinds import Actor
from deskworld_desk.timeline.kinds import DecisionMade as Made
from deskworld_desk.timeline.kinds import Person as By
from deskworld_desk.turns import inputs
from deskworld_desk.world import Order
from deskworld_kit import clock
from deskworld_kit.identity import Principal
from deskworld_kit.plans import constant
from deskworld_kit.problems import Problem

Verdict = Literal["approve", "decline"]
_WITH_PROPOSAL = constant(
    select(Decision, Proposal)
    .join(Proposal, Proposal.id == Decision.proposal_id)
    .where(Decision.id == bindparam("decision_id"))
)
_IN_FLIGHT = constant(
    select(Decision.id).where(
        Decision.record_id == bindparam("record_id"), Decision.state == "MADE", Decision.id != bindparam("but")
    )
)


@dataclass(frozen=True, slots=True)
class Said:
    """What a decider posted."""

    verdict: Verdict
    words: str | None
    reason: Literal["PAY_PO_PRICE", "RETURN_GOODS"] | None


@dataclass(frozen=True, slots=True)
class Decided:
    """The decision's state now. `order` is what is to be carried out, when the decision was made by this very post."""

    state: str
    code: str | None
    detail: str | None
    world: str
    order: Order | None


async def decide(desk: Desk, decision_id: str, who: Principal, said: Said) -> Decided:
    """Records the decision. The same person saying the same again gets what there is.

    Raises Problem 404, 403 NOT_THE_DECIDER, 409 DECISION_CLOSED.
    """
    record = select(Decision.record_id).where(Decision.id == decision_id).scalar_subquery()
    async with desk.dockets.of_record(record) as docket:
        decision, proposal = await _find(docket, decision_id)
        case = docket.cases[decision.case_id]
        before = decision.state
        _may_decide(decision, proposal, who)
        if before == "NEEDS_DECIDER":
            await _again(docket, desk, case, decision, proposal, who, said)
        elif before == "OPEN":
            await _first_time(docket, desk, case, decision, proposal, who, said)
        else:
            _repeated(decision, who, said)
        made = decision.state == "MADE" and before != "MADE"
        order = _order(decision, proposal) if made else None
        return Decided(decision.state, decision.code, decision.detail, case.world, order)


async def _first_time(
    docket: Docket, desk: Desk, case: Case, decision: Decision, proposal: Proposal, who: Principal, said: Said
) -> None:
    made = _write_made(docket, case, decision, who, said)
    if said.verdict == "decline":
        await _declined(docket, desk, case, decision, proposal, made)
    elif await _in_flight(docket, decision):
        await stale(docket, desk, case, decision, proposal, cause=made)
    else:
        decision.state = "MADE"
        docket.move(case, State.DECIDED, f"approved by {who.username}", made, _person(who))


async def stale(
    docket: Docket, desk: Desk, case: Case, decision: Decision, proposal: Proposal, *, cause: int | None
) -> None:
    """Withdrawn because the record moved on; whoever proposed looks at it again."""
    gone = withdraw(docket, case, decision, why="stale", cause=cause)
    if proposal.proposer == "person":
        docket.move(case, State.NEEDS_PERSON, "a person's proposal is stale", gone)
        return
    docket.move(case, State.INVESTIGATING, "the proposal is stale", gone)
    if case.owner == "rules":
        due_rules(docket, desk, case, why="stale", cause=gone)
    else:
        inputs.tell(docket, desk, case, inputs.decision(decision.id, "stale", proposal.action), gone)


async def _find(docket: Docket, decision_id: str) -> tuple[Decision, Proposal]:
    one = (await docket.session.execute(_WITH_PROPOSAL, {"decision_id": decision_id})).one_or_none()
    if one is None:
        raise Problem(404, "NOT_FOUND", f"there is no decision {decision_id}")
    decision, proposal = one
    return decision, proposal


def _order(decision: Decision, proposal: Proposal) -> Order:
    return Order(
        key=decision.id,
        case_id=decision.case_id,
        record_id=decision.record_id,
        action=proposal.action,
        amount=proposal.amount,
        settles=tuple(proposal.settles),
        against=proposal.against,
        version=proposal.record_version,
        comment=decision.words or proposal.rationale,
    )


def may_decide(decision: Decision, proposal: Proposal, who: Principal) -> bool:
    """The person named, or any person with the role; never the one who proposed."""
    if decision.state == "NEEDS_DECIDER":
        return who.subject == decision.by_sub
    if proposal.provenance.get("by_sub") == who.subject:
        return False
    return who.username == decision.user if decision.user else bool(decision.role and decision.role in who.roles)


def _may_decide(decision: Decision, proposal: Proposal, who: Principal) -> None:
    if not may_decide(decision, proposal, who) and who.subject != decision.by_sub:
        whom = decision.user or f"somebody with the role {decision.role}"
        raise Problem(403, "NOT_THE_DECIDER", f"this decision is for {whom}", role=decision.role, user=decision.user)


async def _again(
    docket: Docket, desk: Desk, case: Case, decision: Decision, proposal: Proposal, who: Principal, said: Said
) -> None:
    """The same decision under the same key: the first time it was not carried out."""
    if said.verdict != decision.verdict:
        raise Problem(409, "DECISION_CLOSED", "this decision was made; post the same again to carry it out")
    made = _write_made(docket, case, decision, who, said)
    if await _in_flight(docket, decision):
        await stale(docket, desk, case, decision, proposal, cause=made)
    else:
        decision.state = "MADE"


def _repeated(decision: Decision, who: Principal, said: Said) -> None:
    same = (said.verdict, said.words, said.reason) == (decision.verdict, decision.words, decision.reason)
    if decision.by_sub == who.subject and same:
        return
    raise Problem(409, "DECISION_CLOSED", f"this decision is {decision.state.lower()}", state=decision.state)


def _write_made(docket: Docket, case: Case, decision: Decision, who: Principal, said: Said) -> int:
    decision.verdict, decision.words, decision.reason = said.verdict, said.words, said.reason
    decision.by_username, decision.by_sub, decision.decided_at = who.username, who.subject, clock.now()
    by = By(username=who.username, sub=who.subject)
    entry = Made(decision_id=decision.id, verdict=said.verdict, by=by, words=said.words, reason=said.reason)
    decision.made_seq = docket.write(case, entry, _person(who), decision.requested_seq)
    return decision.made_seq


async def _declined(docket: Docket, desk: Desk, case: Case, decision: Decision, proposal: Proposal, made: int) -> None:
    """The rules may run once more while the case is theirs; otherwise the proposer is told the words. A person reads
    them on the case, which needs one again."""
    decision.state = "DECLINED"
    how = decision.reason or "words"
    case.declined = [*case.declined, {"action": proposal.action, "how": how, "words": decision.words}]
    if proposal.proposer == "person":
        docket.move(case, State.NEEDS_PERSON, "a person's proposal was declined", made)
        return
    docket.move(case, State.INVESTIGATING, "declined", made)
    told = inputs.decision(decision.id, "declined", proposal.action, words=decision.words, reason=decision.reason)
    if case.owner != "rules":
        inputs.tell(docket, desk, case, told, made)
    elif case.rerun_used:
        await stop_without_run(docket, desk, case, reason="declined", cause=made)
        inputs.tell(docket, desk, case, told, made)
    else:
        case.rerun_used = True
        due_rules(docket, desk, case, why="declined", cause=made)


async def _in_flight(docket: Docket, decision: Decision) -> bool:
    """Whether another decision on the same record is being carried out."""
    of = {"record_id": decision.record_id, "but": decision.id}
    return await docket.session.scalar(_IN_FLIGHT, of) is not None


def _person(who: Principal) -> Actor:
    return Actor(type="person", id=who.username)
