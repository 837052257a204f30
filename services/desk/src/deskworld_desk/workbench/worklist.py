"""What waits for a person, and the cases there are, page by page."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, exists, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from deskworld_desk.cases.states import State
from deskworld_desk.cases.tables import Case
from deskworld_desk.cases.view import read_views, stamp
from deskworld_desk.decisions.proposing import UNDECIDED
from deskworld_desk.decisions.tables import Decision, Proposal
from deskworld_desk.desk import Desk
from deskworld_desk.questions.tables import Question
from deskworld_desk.workbench.reading import asked_data
from deskworld_kit.answers import cursor_of, text_position
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem

MINE_LIMIT = 200
"""Of what waits for one person, the oldest are shown: the others come up when these are done."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which cases. No state: all that are not resolved. `mine`: those of which something waits for the person."""

    states: tuple[str, ...] = ()
    reason: str | None = None
    record_id: str | None = None
    party_id: str | None = None
    mine: bool = False
    cursor: str | None = None
    limit: int = 50


async def worklist(desk: Desk, who: Principal, wanted: Wanted) -> dict[str, Any]:
    """Cases, newest first, and what waits on this person, oldest first. Raises Problem 400."""
    after = _position(wanted.cursor)
    async with desk.db.snapshot() as session:
        cases = (await session.scalars(_cases(wanted, who, after))).all()
        views = await read_views(session, cases[: wanted.limit], desk.names)
        order = {case.id: place for place, case in enumerate(cases)}
        views.sort(key=lambda view: order[view["case_id"]])
        more = cases[wanted.limit - 1] if len(cases) > wanted.limit else None
        return {
            "cases": views,
            "next": cursor_of(f"{stamp(more.opened_at)} {more.id}") if more is not None else None,
            "decisions": await _decisions(session, who),
            "questions": await _questions(session, who),
        }


def _cases(wanted: Wanted, who: Principal, after: tuple[datetime, str] | None) -> Select[Case]:
    found = select(Case).order_by(Case.opened_at.desc(), Case.id.desc()).limit(wanted.limit + 1)
    found = found.where(Case.state.in_(wanted.states) if wanted.states else Case.state != State.RESOLVED)
    for column, value in (
        (Case.reason, wanted.reason),
        (Case.record_id, wanted.record_id),
        (Case.party_id, wanted.party_id),
    ):
        if value is not None:
            found = found.where(column == value)
    if wanted.mine:
        decision = exists().where(Decision.case_id == Case.id, Decision.proposal_id == Proposal.id, _asked_of(who))
        question = exists().where(Question.case_id == Case.id, _to_answer(who))
        found = found.where(or_(decision, question))
    return found if after is None else found.where(tuple_(Case.opened_at, Case.id) < tuple_(*after))


async def _decisions(session: AsyncSession, who: Principal) -> list[dict[str, Any]]:
    found = await session.execute(
        select(Decision, Proposal)
        .join(Proposal, Proposal.id == Decision.proposal_id)
        .where(_asked_of(who))
        .order_by(Decision.requested_at)
        .limit(MINE_LIMIT)
    )
    return [asked_data(decision, proposal) for decision, proposal in found]


async def _questions(session: AsyncSession, who: Principal) -> list[dict[str, Any]]:
    found = await session.scalars(select(Question).where(_to_answer(who)).order_by(Question.asked_at).limit(MINE_LIMIT))
    return [
        {"question_id": one.id, "case_id": one.case_id, "text": one.text, "asked_at": stamp(one.asked_at)}
        for one in found
    ]


def _asked_of(who: Principal) -> ColumnElement[bool]:
    """As `decisions.deciding.may_decide`, in SQL; a test holds the two against each other."""
    open_to = or_(Decision.user == who.username, and_(Decision.user.is_(None), Decision.role.in_(sorted(who.roles))))
    not_the_proposer = or_(
        Proposal.provenance["by_sub"].as_string().is_(None), Proposal.provenance["by_sub"].as_string() != who.subject
    )
    return and_(
        Decision.state.in_(UNDECIDED),
        or_(
            and_(Decision.state == "NEEDS_DECIDER", Decision.by_sub == who.subject),
            and_(Decision.state == "OPEN", open_to, not_the_proposer),
        ),
    )


def _to_answer(who: Principal) -> ColumnElement[bool]:
    return and_(Question.state == "OPEN", Question.user == who.username)


def _position(cursor: str | None) -> tuple[datetime, str] | None:
    """Raises Problem 400."""
    text = text_position(cursor)
    if not text:
        return None
    moment, _, case_id = text.partition(" ")
    try:
        at = datetime.fromisoformat(moment)
    except ValueError as error:
        raise _no_cursor(cursor) from error
    if at.tzinfo is None or not case_id:
        raise _no_cursor(cursor)
    return at, case_id


def _no_cursor(cursor: str | None) -> Problem:
    return Problem(400, "INVALID_REQUEST", "cursor: not one that this service gave", field="cursor", value=cursor)
