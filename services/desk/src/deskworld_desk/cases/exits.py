"""What people do with a case beside deciding: they note something, and take up one that needs a person.

Such a case is resumed with a note (the agent goes on), closed, or proposed on (`decisions.by_person`).
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from deskworld_desk.cases.docket import Docket
from deskworld_desk.cases.happenings import let_go
from deskworld_desk.cases.states import AT_REST, State
from deskworld_desk.cases.tables import Case
from deskworld_desk.decisions.proposing import withdraw_open
from deskworld_desk.desk import Desk
from deskworld_desk.timeline.kinds import Actor, Person, PersonNoted, RulesRan
from deskworld_desk.turns import inputs
from deskworld_desk.turns.budgets import budget_of
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem

MAY_TAKE_UP = frozenset({"clerk", "ap-manager", "controller"})
MAY_CLOSE = frozenset({"ap-manager", "controller"})


async def note_case(desk: Desk, case_id: str, who: Principal, text: str) -> int:
    """The seq of the note. The agent is told where it works the case. Raises Problem 404."""
    async with _of(desk, case_id, None) as (docket, case):
        row = docket.write(case, PersonNoted(by=by(who), text=text), actor(who))
        if case.owner == "agent" and case.state not in AT_REST:
            inputs.tell(docket, desk, case, inputs.note(who.username, text), row)
        return row


async def resume_case(desk: Desk, case_id: str, who: Principal, text: str, *, seen: int | None) -> int:
    """The agent goes on, and is told the note. Gives the seq of the case's last row.

    `seen`: the seq of the view that the person acted on. Raises Problem 404, 403 NOT_AUTHORISED, 409 CASE_CHANGED,
    NO_PERSON_NEEDED, BUDGET_SPENT (a controller raises it first).
    """
    require(who, MAY_TAKE_UP, "resume a case")
    async with _of(desk, case_id, seen) as (docket, case):
        check_needs_person(case)
        budget = await budget_of(docket.session, case)
        if budget.spent:
            raise Problem(409, "BUDGET_SPENT", "the agent may do no more on this case: raise its budget first")
        row = docket.write(case, PersonNoted(by=by(who), text=text), actor(who))
        told_why = None
        if case.owner == "rules":
            take_from_rules(docket, case, row)
            told_why = await inputs.rules_stopped(docket, case, str(case.stopped))
        docket.move(case, State.INVESTIGATING, f"resumed by {who.username}", row, actor(who))
        if told_why is not None:
            inputs.tell(docket, desk, case, told_why, row)
        inputs.tell(docket, desk, case, inputs.note(who.username, text), row)
        return case.seq


async def close_case(desk: Desk, case_id: str, who: Principal, why: str, *, seen: int | None) -> int:
    """Nothing more is done here; what the exception comes to is seen to elsewhere. Raises Problem as `resume_case`."""
    require(who, MAY_CLOSE, "close a case")
    async with _of(desk, case_id, seen) as (docket, case):
        check_needs_person(case)
        row = docket.write(case, PersonNoted(by=by(who), text=why), actor(who))
        await withdraw_open(docket, case, why="closed", cause=row)
        await let_go(docket, case)
        case.resolved_by = {"kind": "person", "id": who.username, "decision_id": None}
        docket.move(case, State.RESOLVED, f"closed by {who.username}", row, actor(who))
        return case.seq


def take_from_rules(docket: Docket, case: Case, cause: int) -> None:
    """A person took the case up: it is the rules' no more."""
    stopped = RulesRan(outcome="stop", row=None, reason="person", read=(), input_digest=None, revision=None)
    docket.write(case, stopped, Actor(type="rules", id="rules"), cause)
    case.owner, case.stopped = "agent", "person"


def check_needs_person(case: Case) -> None:
    """Raises Problem 409."""
    if case.state != State.NEEDS_PERSON:
        raise Problem(409, "NO_PERSON_NEEDED", f"the case is {case.state}: nobody has to take it up", state=case.state)


def check_seen(case: Case, seen: int | None) -> None:
    """Raises Problem 409 when the case is not what the person saw."""
    if seen is not None and seen != case.seq:
        raise Problem(
            409,
            "CASE_CHANGED",
            f"the case is at row {case.seq}, you saw row {seen}: look again",
            seq=case.seq,
            seen=seen,
        )


def require(who: Principal, roles: frozenset[str], what: str) -> None:
    """Raises Problem 403."""
    if not who.roles & roles:
        names = sorted(roles)
        raise Problem(403, "NOT_AUTHORISED", f"to {what} takes one of the roles {', '.join(names)}", roles=names)


def by(who: Principal) -> Person:
    return Person(username=who.username, sub=who.subject)


def actor(who: Principal) -> Actor:
    return Actor(type="person", id=who.username)


@asynccontextmanager
async def _of(desk: Desk, case_id: str, seen: int | None) -> AsyncIterator[tuple[Docket, Case]]:
    async with desk.dockets.of_case(case_id) as docket:
        case = docket.cases.get(case_id)
        if case is None:
            raise Problem(404, "NOT_FOUND", f"there is no case {case_id}", case_id=case_id)
        check_seen(case, seen)
        yield docket, case
