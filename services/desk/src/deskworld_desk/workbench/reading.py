"""What the workbench shows."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import select

from deskworld_desk.cases.docket import Docket
from deskworld_desk.cases.tables import Case
from deskworld_desk.cases.view import read_views, stamp
from deskworld_desk.decisions.deciding import may_decide
from deskworld_desk.decisions.proposing import UNDECIDED
from deskworld_desk.decisions.tables import Decision, Proposal
from deskworld_desk.desk import Desk
from deskworld_desk.questions.tables import Question
from deskworld_desk.timeline.reading import rows_of
from deskworld_desk.turns.budgets import budget_of
from deskworld_desk.workbench.seen import Still
from deskworld_desk.world import Proposed, World
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem


async def case_view(desk: Desk, case_id: str) -> dict[str, Any]:
    async with desk.db.snapshot() as session:
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


def decision_still(decision_id: str) -> Still:
    """A decision that was made is made, whatever came since."""

    async def still(docket: Docket) -> str | None:
        decision = await docket.session.get(Decision, decision_id)
        return decision.case_id if decision is not None and decision.state in UNDECIDED else None

    return still


def question_still(question_id: str) -> Still:
    async def still(docket: Docket) -> str | None:
        question = await docket.session.get(Question, question_id)
        return question.case_id if question is not None and question.state == "OPEN" else None

    return still


async def read_question(desk: Desk, question_id: str) -> dict[str, Any]:
    async with desk.db.transaction() as session:
        one = await session.get(Question, question_id)
    if one is None:
        raise Problem(404, "NOT_FOUND", f"there is no question {question_id}")
    return {
        "question_id": one.id,
        "case_id": one.case_id,
        "text": one.text,
        "asked_at": stamp(one.asked_at),
        "whom": {"role": None, "user": one.user},
        "state": one.state,
        "due_at": stamp(one.due_at),
        "answer": one.answer,
    }


async def budget_shown(desk: Desk, case_id: str) -> dict[str, Any]:
    async with desk.db.transaction() as session:
        case = await session.get(Case, case_id)
        if case is None:
            raise Problem(404, "NOT_FOUND", f"there is no case {case_id}")
        budget = await budget_of(session, case)
    return {**asdict(budget), "spent": budget.spent}


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
        decision, proposal = one
        case = await session.get_one(Case, decision.case_id)
    return decision_data(desk.worlds[case.world], decision, proposal, who)


def decision_data(world: World, decision: Decision, proposal: Proposal, who: Principal) -> dict[str, Any]:
    return {
        **asked_data(decision, proposal),
        "state": decision.state,
        "mine": may_decide(decision, proposal, who),
        "rationale": proposal.rationale,
        "in_words": in_words(world, proposal),
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
        "code": decision.code,
        "detail": decision.detail,
    }


def in_words(world: World, proposal: Proposal) -> dict[str, Any]:
    """The warnings begin with what is wrong with the evidence."""
    words = world.in_words(
        Proposed(proposal.action, proposal.amount, proposal.currency, proposal.against, proposal.changes)
    )
    warnings = list(words.warnings)
    if unread := [cited for cited in proposal.citations if cited in proposal.unread]:
        warnings.insert(0, f"{len(unread)} of {len(proposal.citations)} citations name what nobody on this case read.")
    if not proposal.citations:
        warnings.insert(0, "The proposal names no evidence.")
    return {"headline": words.headline, "lines": [list(line) for line in words.lines], "warnings": warnings}


def asked_data(decision: Decision, proposal: Proposal) -> dict[str, Any]:
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
