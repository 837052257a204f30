"""The way to the MCP door: who comes in, and opening it when the first one does.

The `mcp` package takes half a second and 18 MB to import, which nobody pays who speaks HTTP alone.
"""

import asyncio
from types import ModuleType
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from deskworld_desk.agent_door.toolset import Toolset
from deskworld_desk.background import Background
from deskworld_kit import problems
from deskworld_kit.identity import Principal, TokenVerifier, bearer
from deskworld_kit.problems import Problem

PATH = "/mcp"
METADATA = f"/.well-known/oauth-protected-resource{PATH}"
PRINCIPAL = "deskworld.principal"


class McpGate:
    """An ASGI application: agents' tokens only, on every request, since MCP keeps no session of its own here."""

    def __init__(self, toolset: Toolset, verifier: TokenVerifier, background: Background) -> None:
        self._toolset = toolset
        self._verifier = verifier
        self._background = background
        self._opening: asyncio.Future[ASGIApp] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            scope[PRINCIPAL] = await self._agent(request)
        except Problem as problem:
            if problem.status == 401:
                told = f'Bearer realm="deskworld", resource_metadata="{_base(request)}{METADATA}"'
                problem.headers["WWW-Authenticate"] = told
            await problems.render(problem, request)(scope, receive, send)
            return
        app = await self._opened()
        await app(scope, receive, send)

    async def _agent(self, request: Request) -> Principal:
        who = await self._verifier.verify(bearer(request))
        if who.is_person:
            raise Problem(403, "NOT_AUTHORISED", "this door is for agents")
        return who

    async def _opened(self) -> ASGIApp:
        if self._opening is None or (self._opening.done() and self._opening.exception()):
            self._opening = asyncio.get_running_loop().create_future()
            self._background.start(self._serve(self._opening), name="mcp door")
        return await asyncio.shield(self._opening)

    async def _serve(self, opening: "asyncio.Future[ASGIApp]") -> None:
        """Until the desk stops: what the door has running ends with it."""
        try:
            door = await asyncio.to_thread(_imported)
            async with door.served(self._toolset) as app:
                opening.set_result(app)
                await asyncio.get_running_loop().create_future()
        finally:
            if not opening.done():
                opening.set_exception(Problem(503, "UNAVAILABLE", "MCP is not served now; try again."))


def _imported() -> ModuleType:
    from deskworld_desk.agent_door import mcp_door  # noqa: PLC0415 - only where somebody speaks MCP

    return mcp_door


def mcp_routes(gate: McpGate, issuer: str) -> list[Route]:
    """The door, and where a client finds who gives tokens (RFC 9728): that is told to anybody, as it is no secret."""

    async def metadata(request: Request) -> JSONResponse:
        said: dict[str, Any] = {
            "resource": f"{_base(request)}{PATH}",
            "authorization_servers": [issuer],
            "bearer_methods_supported": ["header"],
            "resource_name": "Deskworld agent door",
        }
        return JSONResponse(said)

    return [
        Route(PATH, gate, include_in_schema=False),
        Route(METADATA, metadata, methods=["GET"], include_in_schema=False),
    ]


def _base(request: Request) -> str:
    return str(request.base_url).rstrip("/")
