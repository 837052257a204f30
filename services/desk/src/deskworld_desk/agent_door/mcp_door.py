"""The agent door over MCP (streamable HTTP): the tools of the HTTP door, the same turns, the same records.

A client claims a turn with `claim_turn` and names it in every other call by the token that it got: nothing is kept
between two requests, so any client of any revision of the protocol will do. Imported when the first one comes.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Annotated, Any

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult, TextContent, Tool
from pydantic import BaseModel, Field, ValidationError
from starlette.types import ASGIApp

from deskworld_desk.agent_door.mcp_gate import PRINCIPAL
from deskworld_desk.agent_door.toolset import Own, Toolset, schema_of
from deskworld_desk.agent_door.wire import Body, Claim, End, Ended, Name, ToolAnswer, ToolCall
from deskworld_desk.turns.leases import LONG_LEASE
from deskworld_kit.door import VERSION
from deskworld_kit.identity import Principal
from deskworld_kit.ids import new_id
from deskworld_kit.problems import MEDIA_TYPE, Problem

INSTRUCTIONS = (
    "Claim a turn with claim_turn. Give its token as `turn` to every other tool. Read, then make a move: ask_buyer, "
    "email_vendor, propose_resolution, keep_hold or wait. Cite only ids that your calls returned. Close with end_turn."
)
Json = dict[str, Any]
Answered = tuple[Json, bool]
"""What is answered, and whether it is an error to MCP."""


class InTurn(Body):
    turn: Annotated[Name, Field(description="The token that claim_turn gave")]


class EndTurn(End):
    turn: Annotated[Name, Field(description="The token that claim_turn gave")]


@asynccontextmanager
async def served(toolset: Toolset) -> AsyncIterator[ASGIApp]:
    """An ASGI application; whoever comes to it is an agent, and stands in the scope."""
    door = _McpDoor(toolset)
    server: Server[Any] = Server(
        "deskworld", version=VERSION, instructions=INSTRUCTIONS, on_list_tools=door.list_tools, on_call_tool=door.call
    )
    # the package's own spans would carry the messages of errors
    server.middleware.clear()
    manager = StreamableHTTPSessionManager(server, stateless=True)
    async with manager.run():
        yield manager.handle_request


class _McpDoor:
    def __init__(self, toolset: Toolset) -> None:
        self._toolset = toolset
        self._own: Mapping[str, Callable[[Json, Any], Awaitable[Answered]]] = {
            "claim_turn": self._claim,
            "heartbeat": self._beat,
            "end_turn": self._end,
        }
        worlds = [tool for tools in toolset.tools.values() for tool in tools.values()]
        in_turn = {
            tool.name: _tool(tool.name, tool.description, _with_turn(schema_of(tool.args)), ToolAnswer)
            for tool in worlds
        }
        claim, beat = schema_of(Claim), schema_of(InTurn)
        due = f"Say that you are still at work; due every {LONG_LEASE.seconds} s, as any call is."
        none = "The case that waited longest: {turn: …}, or {turn: null} when none came in time."
        own = [
            _tool("claim_turn", none, claim),
            _tool("heartbeat", due, beat),
            _tool("end_turn", "End the turn, with what your models used.", schema_of(EndTurn), Ended),
        ]
        self._tools = [own[0], *in_turn.values(), *own[1:]]

    async def list_tools(self, _context: Any, _params: Any) -> ListToolsResult:
        return ListToolsResult(tools=self._tools)

    async def call(self, context: Any, params: CallToolRequestParams) -> CallToolResult:
        arguments = dict(params.arguments or {})
        do = self._own.get(params.name)
        try:
            said, failed = await (do(arguments, context) if do else self._work(params.name, arguments, context))
        except ValidationError as error:
            said, failed = _problem(Problem(400, "INVALID_REQUEST", _invalid(error))), True
        except Problem as problem:
            said, failed = _problem(problem), True
        text = json.dumps(said, ensure_ascii=False)
        return CallToolResult(content=[TextContent(text=text)], structured_content=said, is_error=failed)

    async def _work(self, tool: str, arguments: Json, context: Any) -> Answered:
        """A tool of the turn's world, or one that was never offered: that is refused, and on record."""
        named = InTurn.model_validate({"turn": arguments.pop("turn", None)})
        call_id = arguments.pop("call_id", None)
        asked = ToolCall(call_id=new_id() if call_id is None else call_id, tool=tool, args=arguments)
        answer = await self._toolset.call(await self._of(named.turn, context), asked)
        return answer, answer["outcome"] != "OK"

    async def _claim(self, arguments: Json, context: Any) -> Answered:
        asked = Claim.model_validate(arguments)
        # a client that hangs up cancels this call, and what it was about to get is taken back
        never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        turn = await self._toolset.claim(asked, _agent(context), LONG_LEASE, never)
        if turn is not None:
            del turn["tools"]
        return {"turn": turn}, False

    async def _of(self, token: str, context: Any) -> Own:
        """The turn that the token opens, for the client that claimed it alone."""
        return await self._toolset.own(token, client=_agent(context).client)

    async def _beat(self, arguments: Json, context: Any) -> Answered:
        own = await self._of(InTurn.model_validate(arguments).turn, context)
        await self._toolset.beat(own)
        return {"lease": LONG_LEASE.seconds}, False

    async def _end(self, arguments: Json, context: Any) -> Answered:
        asked = EndTurn.model_validate(arguments)
        return {"how": await self._toolset.end(await self._of(asked.turn, context), asked)}, False


def _agent(context: Any) -> Principal:
    """Whom the gate let in with this very request."""
    who: Principal = context.request.scope[PRINCIPAL]
    return who


def _tool(name: str, about: str, schema: Json, answers: type[BaseModel] | None = None) -> Tool:
    output = None if answers is None else schema_of(answers)
    return Tool(name=name, description=about, input_schema=schema, output_schema=output)


def _with_turn(schema: Json) -> Json:
    """The tool's own arguments, the turn that they are for, and the id of the call."""
    fields = ToolCall.model_json_schema()["properties"]
    more = {"turn": InTurn.model_json_schema()["properties"]["turn"], "call_id": fields["call_id"]}
    properties = schema.get("properties", {})
    if taken := more.keys() & properties.keys():
        raise ValueError(f"a tool's argument has the name of one of the door's: {sorted(taken)}")
    return {**schema, "properties": {**properties, **more}, "required": [*schema.get("required", ()), "turn"]}


def _problem(problem: Problem) -> Json:
    return {"content_type": MEDIA_TYPE, **problem.document("/mcp")}


def _invalid(error: ValidationError) -> str:
    return "; ".join(f"{'.'.join(str(part) for part in item['loc'])}: {item['msg']}" for item in error.errors())
