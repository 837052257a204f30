"""The agent door over HTTP. Any program that can get a token can be the agent; MCP is served beside it, at `/mcp`."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, FastAPI, Path, Request, Response
from starlette.routing import BaseRoute

from deskworld_desk.agent_door.toolset import Own, Toolset
from deskworld_desk.agent_door.wire import Claim, End, Ended, ToolAnswer, ToolCall, TurnGiven
from deskworld_desk.turns.leases import LEASE
from deskworld_kit.answers import answer
from deskworld_kit.description import Described
from deskworld_kit.door import door
from deskworld_kit.health import health_router
from deskworld_kit.identity import Principal, TokenVerifier, bearer, principal
from deskworld_kit.problems import refusal, responses

TURN_ID = "0199d2c4-7a10-7c3e-8f00-5b6d1e2f3a4b"
TurnId = Annotated[str, Path(max_length=64, description="Of the turn that the token opens", examples=[TURN_ID])]
DESCRIBED = Described(
    title="Deskworld agent door",
    about="Claim a turn, call tools in it, end it. Every answer of a tool is OK, REFUSED (by a rule) or FAILED "
    "(something broke). The same over MCP (streamable HTTP) at `/mcp`, with the same tools and the same turns.",
    credential="To claim: an access token by client credentials whose audience holds `desk-agent`. In a turn: the "
    "turn's own token, which opens nothing else.",
    details={
        "INVALID_REQUEST": "body.wait: Input should be less than or equal to 30 (was 31)",
        "NOT_AUTHORISED": "this door is for agents",
        "LEASE_LOST": "this turn is no longer yours: its lease ran out, or it has ended",
        "CALL_ID_REUSED": "call call-1 was another call",
    },
    values={"turn_id": TURN_ID, "case_id": TURN_ID, "call_id": "call-1", "description": "The case's invoice."},
)
EVERY = responses(400, 401, 500, 503)
CALLS = {
    "a read": {"value": {"call_id": "call-1", "tool": "get_invoice", "args": {}}},
    "an order": {"value": {"call_id": "call-2", "tool": "get_purchase_order", "args": {"number": "PO-1001"}}},
    "a question": {"value": {"call_id": "call-3", "tool": "ask_buyer", "args": {"question": "Is 10.40 agreed?"}}},
    "a proposal": {
        "value": {
            "call_id": "call-4",
            "tool": "propose_resolution",
            "args": {"action": "hold", "citations": ["invoice-1"], "rationale": "20 of 100 have not come."},
        }
    },
}
ENDS = {
    "done": {"value": {"how": "COMPLETED", "usage": [{"model": "openai:gpt-5", "input": 1200, "output": 80}]}},
    "given up": {"value": {"how": "TOKEN_LIMIT"}},
}


def agent_door(
    toolset: Toolset,
    verifier: TokenVerifier,
    health: Callable[[], Awaitable[Mapping[str, str]]],
    beside: Sequence[BaseRoute] = (),
) -> FastAPI:
    """`beside`: what this door's OpenAPI document cannot say, which is MCP."""
    app = door(DESCRIBED, [health_router(health), _claiming(toolset, verifier), _working(toolset)])
    app.router.routes.extend(beside)
    return app


def _claiming(toolset: Toolset, verifier: TokenVerifier) -> APIRouter:
    router, agent = APIRouter(tags=["turns"]), Depends(principal(verifier))
    none: dict[int | str, dict[str, Any]] = {204: {"description": "None came in time"}}

    @router.post(
        "/turns/claim",
        summary="The case that waited longest, or none",
        responses={200: {"model": TurnGiven}, **none, **EVERY, **responses(403)},
    )
    async def claim_turn(body: Claim, request: Request, who: Principal = agent) -> Response:
        gone = asyncio.ensure_future(_hung_up(request))
        try:
            turn = await toolset.claim(body, who, LEASE, gone)
        finally:
            gone.cancel()
        return Response(status_code=204) if turn is None else answer(turn)

    return router


def _working(toolset: Toolset) -> APIRouter:
    router = APIRouter(prefix="/turns/{turn_id}", tags=["turns"])
    lost = refusal(409, "LEASE_LOST")

    async def own_turn(turn_id: TurnId, request: Request) -> Own:
        return await toolset.own(bearer(request), turn_id=turn_id)

    turned = Depends(own_turn)

    @router.post(
        "/calls",
        summary="Call a tool; the same call id is answered the same",
        responses={200: {"model": ToolAnswer}, **EVERY, **refusal(409, "LEASE_LOST", "CALL_ID_REUSED")},
    )
    async def call_tool(body: Annotated[ToolCall, Body(openapi_examples=CALLS)], own: Own = turned) -> Response:
        return answer(await toolset.call(own, body))

    @router.post(
        "/heartbeat",
        status_code=204,
        summary="Still at work",
        responses={204: {"description": "The lease begins anew"}, **EVERY, **lost},
    )
    async def heartbeat(own: Own = turned) -> None:
        await toolset.beat(own)

    @router.post("/end", summary="End the turn, with what its models used", responses={**EVERY, **lost})
    async def end_turn(body: Annotated[End, Body(openapi_examples=ENDS)], own: Own = turned) -> Ended:
        return Ended(how=await toolset.end(own, body))

    return router


async def _hung_up(request: Request) -> None:
    """Returns when the client is gone (ASGI's `http.disconnect`)."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
