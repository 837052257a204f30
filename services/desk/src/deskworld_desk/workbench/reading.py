"""What the workbench shows."""

from typing import Any

from sqlalchemy import select

from deskworld_desk.cases.states import State
from deskworld_desk.cases.tables import Case
from deskworld_desk.cases.view import read_views, stamp
from deskworld_desk.decisions.deciding import may_decide
from deskworld_desk.decisions.proposing import UNDECIDED
from deskworld_desk.decisions.tables import Decision, Proposal
from deskworld_desk.desk import Desk
from deskworld_desk.questions.tables import Question
from deskworld_desk.timeline.reading import rows_of
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem

WORKLIST_LIMIT = 200


async def worklist(desk: Desk, who: Principal) -> dict[str, Any]:
    """Cases that are not resolved, newest first, and what waits on this person."""
    async with desk.db.transaction() as session:
        cases = await session.scalars(
            select(Case).where(Case.state != State.RESOLVED).order_by(Case.opened_at.desc()).limit(WORKLIST_LIMIT)
        )
        views = await read_views(session, cases.all(), desk.names)
        found = await session.execute(
            select(Decision, Proposal)
            .join(Proposal, Proposal.id == Decision.proposal_id)
            .where(Decision.state.in_(UNDECIDED))
            .order_by(Decision.requested_at)
        )
        mine = [pair for pair in found.tuples() if may_decide(*pair, who)][:WORKLIST_LIMIT]
        questions = await session.scalars(
            select(Question).where(Question.state == "OPEN", Question.user == who.username).order_by(Question.asked_at)
        )
        return {
            "cases": views,
            "decisions": [_decision(decision, proposal) for decision, proposal in mine],
            "questions": [
                {"question_id": one.id, "case_id": one.case_id, "text": one.text, "asked_at": stamp(one.asked_at)}
                for one in questions
            ],
        }


async def case_view(desk: Desk, case_id: str) -> dict[str, Any]:
    async with desk.db.transaction() as session:
        case = await session.get(Case, case_id)
        if case is None:
            raise Problem(404, "NOT_FOUND", f"there is no case {case_id}")
        return (await read_views(session, [case], desk.names))[0]


async def case_timeline(desk: Desk, case_id: str) -> dict[str, Any]:
    async with desk.db.transaction() as session:
        rows = (await rows_of(session, [case_id]))[case_id]
    if not rows:
        raise Problem(404, "NOT_FOUND", f"there is no case {case_id}")
    return {"rows": rows}


async def decision_page(desk: Desk, decision_id: str, who: Principal) -> dict[str, Any]:
    """Who is asked, what changes, for whom and how much, and which evidence was never read."""
    async with desk.db.transaction() as session:
        found = await session.execute(
            select(Decision, Proposal)
            .join(Proposal, Proposal.id == Decision.proposal_id)
            .where(Decision.id == decision_id)
        )
        one = found.one_or_none()
        if one is None:
            raise Problem(404, "NOT_FOUND", f"there is no decision {decision_id}")
        decision, proposal = one.tuple()
    return decision_data(decision, proposal, who)


def decision_data(decision: Decision, proposal: Proposal, who: Principal) -> dict[str, Any]:
    return {
        **_decision(decision, proposal),
        "state": decision.state,
        "mine": may_decide(decision, proposal, who),
        "rationale": proposal.rationale,
        "changes": proposal.changes,
        "settles": proposal.settles,
        "against_po": proposal.against,
        "expected_version": proposal.record_version,
        "citations": [{"id": cited, "read": cited not in proposal.unread} for cited in proposal.citations],
        "provenance": proposal.provenance,
        "verdict": decision.verdict,
        "by": decision.by_username,
        "words": decision.words,
        "reason": decision.reason,
    }


def _decision(decision: Decision, proposal: Proposal) -> dict[str, Any]:
    return {
        "decision_id": decision.id,
        "case_id": decision.case_id,
        "proposal_id": proposal.id,
        "proposer": proposal.proposer,
        "action": proposal.action,
        "amount": proposal.amount,
        "currency": proposal.currency,
        "whom": {"role": decision.role, "user": decision.user},
        "requested_at": stamp(decision.requested_at),
        "due_at": stamp(decision.due_at),
    }
