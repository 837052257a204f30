"""Oversight at the workbench: all agents paused and let on, what is held, and what one case may use of them."""

from typing import Annotated

from fastapi import APIRouter, Header, Response
from pydantic import BaseModel, ConfigDict, Field

from deskworld_desk.desk import Desk
from deskworld_desk.turns.budgets import MOST_INPUT_TOKENS, MOST_TURNS, raise_budget
from deskworld_desk.turns.pausing import pause_agents, resume_agents
from deskworld_desk.workbench.case_routes import CaseId
from deskworld_desk.workbench.deciding import Words
from deskworld_desk.workbench.oversight import oversight
from deskworld_desk.workbench.people import CONTROLS, OVERSEES, People
from deskworld_desk.workbench.reading import budget_shown
from deskworld_desk.workbench.seen import matching
from deskworld_desk.workbench.shapes import Budget, Oversight, Paused, Released
from deskworld_kit.answers import answer
from deskworld_kit.door import GUARDED_ERRORS
from deskworld_kit.identity import Principal
from deskworld_kit.problems import refusal, responses

ONE = GUARDED_ERRORS | responses(404)
PAUSES = GUARDED_ERRORS | refusal(409, "AGENTS_PAUSED")
RESUMES = GUARDED_ERRORS | refusal(409, "NOT_PAUSED")
IfMatch = Annotated[
    str | None, Header(alias="If-Match", max_length=200, description="ETag of the budget that the caller saw")
]


class Pause(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    reason: Annotated[Words, Field(examples=["Two letters with orders in them within an hour."])]


class Raise(BaseModel):
    """What the case may use in all, from its first turn on; never less than before."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    turns: Annotated[int, Field(ge=1, le=MOST_TURNS, examples=[24])]
    input_tokens: Annotated[int, Field(ge=1, le=MOST_INPUT_TOKENS, examples=[400_000])]
    reason: Annotated[Words, Field(examples=["The vendor answers one question a letter."])]


def routes(desk: Desk, people: People) -> list[APIRouter]:
    return [_oversight(desk, people), _budgets(desk, people)]


def _oversight(desk: Desk, people: People) -> APIRouter:
    router = APIRouter(tags=["oversight"])
    oversees, controls = people.having(OVERSEES), people.having(CONTROLS)

    @router.get("/oversight", responses=GUARDED_ERRORS | {200: {"model": Oversight}})
    async def get_oversight(_: Principal = oversees) -> Response:
        """Whether agents work, what is held meanwhile, what waits on whom, and how many cases stand where."""
        return answer(await oversight(desk))

    @router.post(
        "/oversight/pause", responses=GUARDED_ERRORS | refusal(409, "AGENTS_PAUSED") | {200: {"model": Paused}}
    )
    async def pause(body: Pause, who: Principal = controls) -> Response:
        """No turn begins and no tool is called until agents are let on; what they are to be told gathers."""
        since = await pause_agents(desk, who, body.reason)
        return answer({"paused": True, "since": since.isoformat()})

    @router.post(
        "/oversight/resume", responses=GUARDED_ERRORS | refusal(409, "NOT_PAUSED") | {200: {"model": Released}}
    )
    async def resume_all(who: Principal = controls) -> Response:
        """Agents go on; what gathered is told, the oldest first."""
        return answer({"paused": False, "cases": await resume_agents(desk, who)})

    return router


def _budgets(desk: Desk, people: People) -> APIRouter:
    router = APIRouter(tags=["oversight"])
    anybody, controls = people.anybody(), people.having(CONTROLS)

    @router.get("/cases/{case_id}/budget", responses=ONE | {200: {"model": Budget}})
    async def get_budget(case_id: CaseId, _: Principal = anybody) -> Response:
        """What agents may use on a case, and what they have used."""
        return answer(await budget_shown(desk, case_id))

    @router.put(
        "/cases/{case_id}/budget",
        responses=ONE
        | refusal(412, "PRECONDITION_FAILED")
        | refusal(428, "PRECONDITION_REQUIRED")
        | {200: {"model": Budget}},
    )
    async def put_budget(case_id: CaseId, body: Raise, who: Principal = controls, if_match: IfMatch = None) -> Response:
        """More for one case. `If-Match` names the budget that the caller saw (RFC 9110, 13.1.1; RFC 6585, 3)."""
        matching(if_match, await budget_shown(desk, case_id))
        await raise_budget(desk, case_id, who, turns=body.turns, input_tokens=body.input_tokens, reason=body.reason)
        return answer(await budget_shown(desk, case_id))

    return router
