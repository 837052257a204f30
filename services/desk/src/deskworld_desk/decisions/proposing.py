"""A proposal that the policy routed becomes a decision that somebody is asked for."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from sqlalchemy import bindparam, select

from deskworld_desk.cases.docket import DESK, Docket
from deskworld_desk.cases.office_time import office_now
from deskworld_desk.cases.states import State
from deskworld_desk.cases.tables import Case
from deskworld_desk.decisions.tables import Decision, Proposal
from deskworld_desk.desk import Desk
from deskworld_desk.letters.notices import notify
from deskworld_desk.timeline.kinds import Actor, DecisionRequested, ProposalMade, ProposalWithdrawn
from deskworld_desk.world import Draft, PolicyAnswer
from deskworld_kit import clock, ids
from deskworld_kit.identity import Principal
from deskworld_kit.plans import constant

OFFICE_DEADLINE = timedelta(days=3)
UNDECIDED = ("OPEN", "NEEDS_DECIDER")
_UNDECIDED_OF_CASE = constant(
    select(Decision).where(Decision.case_id == bindparam("case_id"), Decision.state.in_(UNDECIDED))
)
Proposer = Literal["rules", "agent", "person"]
Why = Literal["superseded", "stale", "settled", "closed", "expired"]


@dataclass(frozen=True, slots=True)
class ByAgent:
    """Who proposed: `model` and `playbook` (a digest) are what the agent said of itself when it claimed its turn."""

    name: str
    model: str | None
    playbook: str | None


async def request_decision(  # noqa: PLR0913 - each is a fact of the proposal
    docket: Docket,
    desk: Desk,
    case: Case,
    draft: Draft,
    answer: PolicyAnswer,
    *,
    proposer: Proposer,
    actor: Actor,
    turn_id: str | None,
    cause: int,
    agent: ByAgent | None = None,
    decision_id: str | None = None,
    by: Principal | None = None,
) -> Decision:
    """Withdraws the case's open decision, if there is one: one is open at a time. `by`: the person who proposes."""
    await withdraw_open(docket, case, why="superseded", cause=cause)
    proposal = _proposal(desk, case, draft, answer, proposer=proposer, turn_id=turn_id, agent=agent, by=by)
    proposal.seq = docket.write(case, _made(proposal), actor, cause)
    now = clock.now()
    decision = Decision(
        id=decision_id or ids.new_id(),
        case_id=case.id,
        record_id=case.record_id,
        proposal_id=proposal.id,
        role=answer.role,
        user=answer.user,
        state="OPEN",
        requested_at=now,
        due_at=office_now(case) + OFFICE_DEADLINE,
    )
    decision.requested_seq = docket.write(
        case,
        DecisionRequested(
            decision_id=decision.id,
            proposal_id=proposal.id,
            role=answer.role,
            user=answer.user,
            action=draft.action,
            amount=draft.amount,
            currency=draft.currency,
        ),
        DESK,
        proposal.seq,
    )
    docket.session.add_all((proposal, decision))
    if decision.user is not None:
        await notify(docket, desk, case, decision.user, "decision", turn_id=turn_id, cause=decision.requested_seq)
    docket.move(case, State.AWAITING_DECISION, "a decision is asked for", decision.requested_seq)
    return decision


async def open_decision(docket: Docket, case: Case) -> Decision | None:
    """The decision of this case that nobody has made, or that waits on its decider once more."""
    return (await docket.session.scalars(_UNDECIDED_OF_CASE, {"case_id": case.id})).one_or_none()


async def withdraw_open(docket: Docket, case: Case, *, why: Why, cause: int | None) -> Decision | None:
    decision = await open_decision(docket, case)
    if decision is not None:
        withdraw(docket, case, decision, why=why, cause=cause)
        # only one may be open: the next one must not meet this one in the index
        await docket.session.flush()
    return decision


def withdraw(docket: Docket, case: Case, decision: Decision, *, why: Why, cause: int | None) -> int:
    decision.state = "STALE" if why == "stale" else "WITHDRAWN"
    entry = ProposalWithdrawn(proposal_id=decision.proposal_id, decision_id=decision.id, why=why)
    return docket.write(case, entry, DESK, cause)


def _proposal(
    desk: Desk,
    case: Case,
    draft: Draft,
    answer: PolicyAnswer,
    *,
    proposer: Proposer,
    turn_id: str | None,
    agent: ByAgent | None,
    by: Principal | None,
) -> Proposal:
    provenance = {
        "proposer": proposer,
        "by": by.username if by else None,
        "by_sub": by.subject if by else None,
        "agent": agent.name if agent else None,
        "model": agent.model if agent else None,
        "reader": desk.reader.name,
        "build": desk.build,
        "policy_revision": answer.revision,
        "digests": {"playbook": agent.playbook if agent else None, "rules": None, "policy": None, **answer.digests},
    }
    return Proposal(
        id=ids.new_id(),
        case_id=case.id,
        proposer=proposer,
        action=draft.action,
        amount=draft.amount,
        currency=draft.currency,
        settles=list(draft.settles),
        against=draft.against,
        citations=list(draft.citations),
        unread=list(draft.unread),
        rationale=draft.rationale,
        record_version=draft.version,
        turn_id=turn_id,
        changes=draft.changes,
        provenance=provenance,
        made_at=clock.now(),
    )


def _made(proposal: Proposal) -> ProposalMade:
    return ProposalMade(
        proposal_id=proposal.id,
        proposer=proposal.proposer,
        action=proposal.action,
        amount=proposal.amount,
        currency=proposal.currency,
        settles=tuple(proposal.settles),
        against_po=proposal.against,
        citations=tuple(proposal.citations),
        rationale=proposal.rationale,
        invoice_version=proposal.record_version,
        turn_id=proposal.turn_id,
    )
