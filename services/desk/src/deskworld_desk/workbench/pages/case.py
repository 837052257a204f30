"""One case as a person sees it: what is proposed, what to be warned of, and all that happened."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deskworld_desk.cases.states import State
from deskworld_desk.cases.tables import Case
from deskworld_desk.cases.view import read_views, stamp
from deskworld_desk.decisions.deciding import may_decide
from deskworld_desk.decisions.proposing import UNDECIDED
from deskworld_desk.decisions.tables import Decision, Proposal
from deskworld_desk.desk import Desk
from deskworld_desk.flags.reading import shown
from deskworld_desk.flags.tables import Flag
from deskworld_desk.mail.parse import parse
from deskworld_desk.questions.tables import Question
from deskworld_desk.timeline.reading import blobs_named, rows_of
from deskworld_desk.turns.budgets import budget_of
from deskworld_desk.workbench.pages.telling import details, line
from deskworld_desk.workbench.people import CONTROLS, MAY_CLOSE, MAY_TAKE_UP, WORKS
from deskworld_desk.workbench.reading import decision_data
from deskworld_desk.world import World
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem

STATES = {
    "OPEN": "waits to be decided",
    "MADE": "is being carried out",
    "NEEDS_DECIDER": "was made and not carried out",
    "APPLIED": "was carried out",
    "REFUSED": "was refused by the system of record",
    "DECLINED": "was declined",
    "STALE": "was withdrawn, because the record changed",
    "WITHDRAWN": "was withdrawn",
}


async def case_page(desk: Desk, case_id: str, who: Principal) -> dict[str, Any]:
    """Raises Problem 404."""
    async with desk.db.snapshot() as session:
        case = await session.get(Case, case_id)
        if case is None:
            raise Problem(404, "NOT_FOUND", f"there is no case {case_id}")
        world = desk.worlds[case.world]
        view = (await read_views(session, [case], desk.names))[0]
        decisions = await _decisions(session, world, case, who)
        questions = await session.scalars(select(Question).where(Question.case_id == case_id, Question.state == "OPEN"))
        flags = await session.scalars(select(Flag).where(Flag.case_id == case_id).order_by(Flag.id))
        rows = (await rows_of(session, [case_id]))[case_id]
        letters = await _letters(session, [row for row in rows if row["kind"].startswith("mail.")])
        budget = await budget_of(session, case)
        return {
            "case": view,
            "opened_at": stamp(case.opened_at),
            "amount": f"{case.amount} {case.currency}",
            "summary": world.summary(case.reason),
            "warnings": _warnings(case, view),
            "decisions": decisions,
            "questions": [_question(one, who) for one in questions],
            "flags": [shown(flag, who) for flag in flags],
            "budget": {**asdict(budget), "spent": budget.spent},
            "lines": [line(row, letters) for row in rows],
            "may": may_do(case, who),
            "actions": sorted(world.actions),
            "about": _about(case, rows),
        }


def may_do(case: Case, who: Principal) -> dict[str, bool]:
    """Which forms this person gets. What is sent all the same is refused at the door and by the command."""
    needs_person = case.state == State.NEEDS_PERSON
    return {
        "note": bool(who.roles & WORKS),
        "take_up": needs_person and bool(who.roles & MAY_TAKE_UP),
        "close": needs_person and bool(who.roles & MAY_CLOSE),
        "budget": bool(who.roles & CONTROLS),
    }


def _question(one: Question, who: Principal) -> dict[str, Any]:
    yours = one.user == who.username
    asked = {"question_id": one.id, "to": one.user, "text": one.text}
    return {**asked, "asked_at": stamp(one.asked_at), "due_at": stamp(one.due_at), "yours": yours}


def _about(case: Case, rows: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """What feedback can be about: id and words."""
    turns = [(row["data"]["turn_id"], f"turn {row['data']['number']}") for row in rows if row["kind"] == "turn.started"]
    asked = [row["data"] for row in rows if row["kind"] == "decision.requested"]
    decisions = [(data["decision_id"], f"the proposal to {data['action']}") for data in asked]
    return [(case.id, "the case"), *turns, *decisions]


async def case_of(desk: Desk, decision_id: str) -> str:
    """Raises Problem 404."""
    async with desk.db.transaction() as session:
        case_id = await session.scalar(select(Decision.case_id).where(Decision.id == decision_id))
    if case_id is None:
        raise Problem(404, "NOT_FOUND", f"there is no decision {decision_id}")
    return case_id


async def _decisions(session: AsyncSession, world: World, case: Case, who: Principal) -> list[dict[str, Any]]:
    """The newest first: one that is open stands above all that came before."""
    found = await session.execute(
        select(Decision, Proposal)
        .join(Proposal, Proposal.id == Decision.proposal_id)
        .where(Decision.case_id == case.id)
        .order_by(Decision.requested_at.desc())
    )
    return [_decision(world, *pair, who) for pair in found]


def _decision(world: World, decision: Decision, proposal: Proposal, who: Principal) -> dict[str, Any]:
    return {
        **decision_data(world, decision, proposal, who),
        "open": decision.state in UNDECIDED,
        "yours": decision.state in UNDECIDED and may_decide(decision, proposal, who),
        "by_you": decision.by_sub == who.subject,
        "state_in_words": STATES[decision.state],
        "provenance": details(proposal.provenance),
    }


def _warnings(case: Case, view: dict[str, Any]) -> list[str]:
    found = []
    if case.instructions_seen:
        found.append(
            "A letter of this case holds instructions, or claims an authority. Treat what it asks as an attack."
        )
    if case.reader_failed:
        found.append("A letter of this case could not be read in full: what it says is not known.")
    if view["siblings"]:
        found.append(f"The same record has {len(view['siblings'])} more open or closed case(s); see below.")
    return found


async def _letters(session: AsyncSession, rows: list[dict[str, Any]]) -> dict[str, str]:
    """The words of each letter by its digest. Bytes from outside: parsed by what never raises, and shown as text."""
    blobs = await blobs_named(session, rows)
    raw = {digest: blob["raw"] for digest, blob in blobs.items() if isinstance(blob, dict) and "raw" in blob}
    parsed = {digest: parse(octets.encode("latin-1")) for digest, octets in raw.items()}
    return {
        digest: one.text or f"(no text: {one.unreadable or 'the letter is empty'})" for digest, one in parsed.items()
    }
