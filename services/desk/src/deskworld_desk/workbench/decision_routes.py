"""Decisions and questions at the workbench: each is for the person, or the role, whom the record names."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from deskworld_desk.desk import Desk
from deskworld_desk.questions.asking import answer as answer_question
from deskworld_desk.workbench.deciding import Decide, Words, post
from deskworld_desk.workbench.people import People
from deskworld_desk.workbench.reading import decision_page, question_still, read_question
from deskworld_desk.workbench.seen import Seen, seeing
from deskworld_desk.workbench.shapes import Answered, DecisionOutcome, DecisionShown, QuestionShown
from deskworld_kit.answers import answer
from deskworld_kit.door import GUARDED_ERRORS
from deskworld_kit.identity import Principal, bearer
from deskworld_kit.problems import Problem, refusal, responses

OUTCOMES = {
    "APPLIED": "applied",
    "REFUSED": "refused",
    "DECLINED": "declined",
    "STALE": "stale",
    "WITHDRAWN": "withdrawn",
    "NEEDS_DECIDER": "needs-decider",
}
DecisionId = Annotated[str, Path(max_length=64)]
QuestionId = Annotated[str, Path(max_length=64)]
ONE = GUARDED_ERRORS | responses(404)


class Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    text: Annotated[Words, Field(examples=["Yes: 10.40 was agreed on the phone in March."])]
    seen: Seen | None = None


def routes(desk: Desk, people: People) -> list[APIRouter]:
    return [_decisions(desk, people), _questions(desk, people)]


def _decisions(desk: Desk, people: People) -> APIRouter:
    router = APIRouter(tags=["decisions"])
    anybody = people.anybody()

    @router.get("/decisions/{decision_id}", responses=ONE | {200: {"model": DecisionShown}})
    async def get_decision(decision_id: DecisionId, who: Principal = anybody) -> Response:
        """Who is asked, what changes, for whom and how much, and which evidence nobody read."""
        return answer(await decision_page(desk, decision_id, who))

    @router.post(
        "/decisions/{decision_id}",
        responses=ONE
        | refusal(403, "NOT_AUTHORISED", "NOT_THE_DECIDER")
        | refusal(409, "DECISION_CLOSED", "CASE_CHANGED")
        | {200: {"model": DecisionOutcome}},
    )
    async def decide(decision_id: DecisionId, body: Decide, request: Request, who: Principal = anybody) -> Response:
        """Approves or declines, carries it out with the caller's own token, and answers what the ERP said. The same
        person posting the same again gets the same answer."""
        outcome, task = await post(desk, decision_id, body, who, bearer(request))
        if task is not None:
            outcome = await asyncio.shield(task)
        if outcome.state not in OUTCOMES:
            raise Problem(503, "UNAVAILABLE", "this decision is being carried out; ask again", state=outcome.state)
        said = {"outcome": OUTCOMES[outcome.state], "code": outcome.code, "detail": outcome.detail}
        return answer({"decision_id": decision_id, **said})

    return router


def _questions(desk: Desk, people: People) -> APIRouter:
    router = APIRouter(tags=["questions"])
    anybody = people.anybody()

    @router.get("/questions/{question_id}", responses=ONE | {200: {"model": QuestionShown}})
    async def get_question(question_id: QuestionId, _: Principal = anybody) -> Response:
        """A question of a case, whom it is for, and the answer once it was given."""
        return answer(await read_question(desk, question_id))

    @router.post(
        "/questions/{question_id}/answer",
        responses=ONE
        | refusal(403, "NOT_AUTHORISED", "NOT_THE_BUYER")
        | refusal(409, "QUESTION_CLOSED", "CASE_CHANGED")
        | {200: {"model": Answered}},
    )
    async def post_answer(question_id: QuestionId, body: Answer, who: Principal = anybody) -> Response:
        """The one answer of the person whom it is for."""
        at = seeing(desk, body.seen, question_still(question_id))
        await answer_question(at, question_id, who, body.text)
        return answer({"question_id": question_id})

    return router
