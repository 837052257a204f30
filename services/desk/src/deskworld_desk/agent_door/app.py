"""The agent door over HTTP. Any program that can get a token can be the agent."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, Literal

from fastapi import Depends, FastAPI, Path, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import select

from deskworld_desk.agent_door.calls import Asked, call_tool
from deskworld_desk.agent_door.core_tools import tools_of
from deskworld_desk.desk import Desk
from deskworld_desk.text import plain
from deskworld_desk.turns.claiming import claim, hashed
from deskworld_desk.turns.ending import beat, end_turn, lease_lost
from deskworld_desk.turns.leases import LEASE
from deskworld_desk.turns.tables import Turn
from deskworld_desk.world import Tool
from deskworld_kit import clock
from deskworld_kit.health import health_router
from deskworld_kit.identity import Principal, TokenVerifier, bearer, principal
from deskworld_kit.outage import answer_outages
from deskworld_kit.problems import Problem, install, responses

Name = Annotated[str, Field(min_length=1, max_length=200), plain]
TurnId = Annotated[str, Path(max_length=64)]


class Body(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Claim(Body):
    agent: Name
    wait: Annotated[float, Field(ge=0, le=30, description="Seconds to wait for a turn")] = 0


class ToolOffered(BaseModel):
    name: str
    description: str
    parameters: dict[str, Any]


class TurnGiven(BaseModel):
    turn_id: str
    case_id: str
    number: int
    token: str
    lease: int
    inputs: list[dict[str, Any]]
    brief: dict[str, Any]
    tools: list[ToolOffered]


class ToolCall(Body):
    call_id: Name
    tool: Name
    args: dict[str, Any] = {}


class ToolAnswer(BaseModel):
    call_id: str
    outcome: Literal["OK", "REFUSED", "FAILED"]
    result: dict[str, Any] | None
    ids: list[str]
    code: str | None
    reason: str | None


class Usage(Body):
    """Of one model. A count that the provider did not report stays absent."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())
    model: Name
    input: Annotated[int, Field(ge=0)] | None = None
    output: Annotated[int, Field(ge=0)] | None = None
    cache_read: Annotated[int, Field(ge=0)] | None = None
    cache_write: Annotated[int, Field(ge=0)] | None = None
    reasoning: Annotated[int, Field(ge=0)] | None = None


class End(Body):
    how: Literal["COMPLETED", "PROVIDER", "TOKEN_LIMIT", "TIMEOUT"] = "COMPLETED"
    usage: list[Usage] = []


class Ended(BaseModel):
    how: str


def agent_door(desk: Desk, verifier: TokenVerifier, health: Callable[[], Awaitable[Mapping[str, str]]]) -> FastAPI:
    app = FastAPI(title="Deskworld agent door", version="1")
    install(app)
    answer_outages(app)
    app.include_router(health_router(health))
    tools = {name: tools_of(world) for name, world in desk.worlds.items()}
    _claiming(app, desk, verifier, {name: _offered(of) for name, of in tools.items()})
    _working(app, desk, tools)
    return app


def _claiming(app: FastAPI, desk: Desk, verifier: TokenVerifier, offered: Mapping[str, list[ToolOffered]]) -> None:
    agent = Depends(principal(verifier))

    @app.post("/turns/claim", response_model=TurnGiven, responses={204: {}, **responses(400, 401, 403)})
    async def claim_turn(body: Claim, request: Request, who: Principal = agent) -> Any:
        if who.is_person:
            raise Problem(403, "NOT_AUTHORISED", "this door is for agents")
        gone = asyncio.ensure_future(_hung_up(request))
        try:
            claimed = await claim(desk, agent=body.agent, client=who.client, wait=body.wait, gone=gone)
        finally:
            gone.cancel()
        if claimed is None:
            return Response(status_code=204)
        return TurnGiven(
            turn_id=claimed.turn_id,
            case_id=claimed.case_id,
            number=claimed.number,
            token=claimed.token,
            lease=int(LEASE.total_seconds()),
            inputs=claimed.inputs,
            brief=claimed.brief,
            tools=offered[claimed.world],
        )


def _working(app: FastAPI, desk: Desk, tools: Mapping[str, Mapping[str, Tool]]) -> None:
    turned = Depends(_own_turn(desk))

    @app.post("/turns/{turn_id}/calls", response_model=ToolAnswer, responses=responses(400, 401, 409))
    async def call(body: ToolCall, turn_id: str = turned) -> Any:
        return await call_tool(desk, turn_id, Asked(body.call_id, body.tool, body.args), tools)

    @app.post("/turns/{turn_id}/heartbeat", status_code=204, responses=responses(401, 409))
    async def heartbeat(turn_id: str = turned) -> None:
        await beat(desk, turn_id)

    @app.post("/turns/{turn_id}/end", responses=responses(400, 401, 409))
    async def end(body: End, turn_id: str = turned) -> Ended:
        usage = [item.model_dump(exclude_none=True) for item in body.usage]
        return Ended(how=await end_turn(desk, turn_id, body.how, usage))


def _own_turn(desk: Desk) -> Callable[[str, Request], Awaitable[str]]:
    """A dependency: the turn whose token the request carries."""

    async def own_turn(turn_id: TurnId, request: Request) -> str:
        async with desk.db.transaction() as session:
            turn = await session.scalar(
                select(Turn).where(Turn.id == turn_id, Turn.token_hash == hashed(bearer(request)))
            )
        if turn is None:
            raise Problem(401, "UNAUTHENTICATED", "this token does not belong to this turn")
        if turn.token_until < clock.now() or turn.how == "LEASE_LOST":
            raise lease_lost()
        return turn_id

    return own_turn


def _offered(tools: Mapping[str, Tool]) -> list[ToolOffered]:
    return [
        ToolOffered(name=tool.name, description=tool.description, parameters=_schema(tool.args))
        for tool in tools.values()
    ]


async def _hung_up(request: Request) -> None:
    """Returns when the client is gone (ASGI's `http.disconnect`)."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _schema(args: type[BaseModel]) -> dict[str, Any]:
    schema = args.model_json_schema()
    schema.pop("title", None)
    return schema
