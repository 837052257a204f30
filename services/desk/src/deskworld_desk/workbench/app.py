"""The desk's office door: people at the workbench, and the system of record's webhook."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, Literal

from fastapi import Depends, FastAPI, Query, Request
from fastapi.responses import RedirectResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict
from starlette.applications import Starlette

from deskworld_desk.cases.intake import take_event
from deskworld_desk.desk import Desk
from deskworld_desk.questions.asking import answer
from deskworld_desk.timeline.reading import replay
from deskworld_desk.timeline.sse import stream_response
from deskworld_desk.timeline.stream import Published
from deskworld_desk.workbench.deciding import Decide, Words, post
from deskworld_desk.workbench.pages.sessions import BASE
from deskworld_desk.workbench.reading import case_timeline, case_view, decision_page, worklist
from deskworld_kit import clock
from deskworld_kit.health import health_router
from deskworld_kit.identity import Principal, TokenVerifier, bearer, principal
from deskworld_kit.outage import answer_outages
from deskworld_kit.problems import Problem, install, responses
from deskworld_kit.webhooks import SignatureRefused, verify

OUTCOMES = {
    "APPLIED": "applied",
    "REFUSED": "refused",
    "DECLINED": "declined",
    "STALE": "stale",
    "WITHDRAWN": "withdrawn",
    "NEEDS_DECIDER": "needs-decider",
}


class Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    text: Words


class DecisionOutcome(BaseModel):
    decision_id: str
    outcome: Literal["applied", "refused", "declined", "stale", "withdrawn", "needs-decider"]
    code: str | None
    detail: str | None


def office(
    desk: Desk,
    verifier: TokenVerifier,
    webhook_secret: str,
    health: Callable[[], Awaitable[Mapping[str, str]]],
    pages: Starlette,
    stack: Mapping[str, str] | None = None,
) -> FastAPI:
    app = FastAPI(title="Deskworld desk", version="1")
    install(app)
    answer_outages(app)
    app.include_router(health_router(health, stack=stack))
    _reads(app, desk, verifier)
    _decisions(app, desk, verifier)
    _hook(app, desk, webhook_secret)
    app.mount(BASE, pages)
    app.add_api_route("/", _first_page, include_in_schema=False)
    return app


async def _first_page() -> RedirectResponse:
    return RedirectResponse(f"{BASE}/", 303)


def person(verifier: TokenVerifier) -> Callable[[Request], Awaitable[Principal]]:
    """A dependency: the caller, who is a person."""
    known = principal(verifier)

    async def somebody(request: Request) -> Principal:
        who = await known(request)
        if not who.is_person:
            raise Problem(403, "NOT_AUTHORISED", "the workbench is for people")
        return who

    return somebody


def replayer(desk: Desk) -> Callable[[int, int], Awaitable[Published]]:
    async def again(first: int, last: int) -> Published:
        async with desk.db.transaction() as session:
            return await replay(session, first, last, desk.names)

    return again


def _reads(app: FastAPI, desk: Desk, verifier: TokenVerifier) -> None:
    somebody = Depends(person(verifier))

    @app.get("/worklist", responses=responses(401, 403))
    async def work(who: Principal = somebody) -> dict[str, Any]:
        return await worklist(desk, who)

    @app.get("/cases/{case_id}", responses=responses(401, 403, 404))
    async def case(case_id: str, who: Principal = somebody) -> dict[str, Any]:
        return await case_view(desk, case_id)

    @app.get("/cases/{case_id}/timeline", responses=responses(401, 403, 404))
    async def timeline(case_id: str, who: Principal = somebody) -> dict[str, Any]:
        return await case_timeline(desk, case_id)

    @app.get("/stream", responses=responses(400, 401, 403))
    async def stream(
        who: Principal = somebody,
        after: Annotated[int | None, Query(ge=0)] = None,
    ) -> StreamingResponse:
        return stream_response(desk.broadcast, after=after, replay=replayer(desk))

    @app.get("/decisions/{decision_id}", responses=responses(401, 403, 404))
    async def decision(decision_id: str, who: Principal = somebody) -> dict[str, Any]:
        return await decision_page(desk, decision_id, who)


def _decisions(app: FastAPI, desk: Desk, verifier: TokenVerifier) -> None:
    somebody = Depends(person(verifier))

    @app.post("/decisions/{decision_id}", responses=responses(400, 401, 403, 404, 409, 503))
    async def post_decision(
        decision_id: str, body: Decide, request: Request, who: Principal = somebody
    ) -> DecisionOutcome:
        outcome, task = await post(desk, decision_id, body, who, bearer(request))
        if task is not None:
            outcome = await asyncio.shield(task)
        if outcome.state not in OUTCOMES:
            raise Problem(503, "UNAVAILABLE", "this decision is being carried out; ask again", state=outcome.state)
        said = {"outcome": OUTCOMES[outcome.state], "code": outcome.code, "detail": outcome.detail}
        return DecisionOutcome.model_validate({"decision_id": decision_id, **said})

    @app.post("/questions/{question_id}/answer", responses=responses(400, 401, 403, 404, 409))
    async def post_answer(question_id: str, body: Answer, who: Principal = somebody) -> dict[str, str]:
        await answer(desk, question_id, who, body.text)
        return {"question_id": question_id}


def _hook(app: FastAPI, desk: Desk, secret: str) -> None:
    world = next(iter(desk.worlds.values()))

    @app.post("/hooks/erp", status_code=202, responses=responses(400, 401))
    async def hook(request: Request) -> dict[str, str]:
        body = await request.body()
        try:
            event_id = verify(secret, request.headers, body, clock.now())
        except SignatureRefused as error:
            raise Problem(401, "SIGNATURE_REFUSED", str(error)) from error
        try:
            event = json.loads(body)
            heard = world.hear(event)
        except (ValueError, KeyError, TypeError) as error:
            raise Problem(400, "INVALID_REQUEST", f"this is no event of the system of record: {error}") from error
        if heard.event_id != event_id:
            raise Problem(400, "INVALID_REQUEST", "webhook-id is not the id of the event")
        await take_event(desk, world, heard, event)
        return {"event_id": event_id}
