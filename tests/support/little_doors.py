"""Small real servers that are wrong in one way each, for what looks at a stack from outside."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import uvicorn
from aiosmtpd.smtp import SMTP
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from tests.support.servers import LOOPBACK, free_ports

from deskworld_kit import clock

DEADLINE = 10.0


@asynccontextmanager
async def serving(app: Callable[..., Any], *, tells_time: bool = True) -> AsyncIterator[str]:
    """The app on a socket of its own: its address."""
    listening = socket.create_server((LOOPBACK, 0))
    config = uvicorn.Config(
        app, log_level="error", lifespan="off", ws="none", date_header=tells_time, timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield f"http://{LOOPBACK}:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        await asyncio.wait_for(task, DEADLINE)
        listening.close()


def answering(document: Any, status: int = 200) -> Starlette:
    """Whatever is asked, the same answer."""

    async def answer(_: Request) -> Response:
        return JSONResponse(document, status_code=status)

    return Starlette(routes=[Route("/{path:path}", answer, methods=["GET", "POST"])])


def in_another_time(url: str, ahead: timedelta) -> Starlette:
    """The door at `url`, on a machine whose clock is wrong. Serve it with `tells_time=False`."""

    async def passed_on(request: Request) -> Response:
        async with httpx.AsyncClient(trust_env=False) as http:
            path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            told = {name: value for name, value in request.headers.items() if name == "authorization"}
            answer = await http.request(request.method, url + path, headers=told)
        date = format_datetime(clock.now() + ahead, usegmt=True)
        return Response(answer.content, answer.status_code, {"date": date}, media_type="application/json")

    return Starlette(routes=[Route("/{path:path}", passed_on)])


def without_decision_ids(url: str) -> Starlette:
    """The policy at `url`, as OPA answers that keeps no decision logs."""

    async def passed_on(request: Request) -> Response:
        async with httpx.AsyncClient(trust_env=False) as http:
            answer = await http.request(request.method, url + request.url.path, content=await request.body())
        document = answer.json()
        document.pop("decision_id", None)
        return JSONResponse(document, answer.status_code)

    return Starlette(routes=[Route("/{path:path}", passed_on, methods=["GET", "POST"])])


@asynccontextmanager
async def bottomless_mail() -> AsyncIterator[int]:
    """A mail server that takes every letter and keeps none: its port."""

    class Nowhere:
        async def handle_DATA(self, *_: Any) -> str:  # noqa: N802 - the library's name
            return "250 OK"

    (port,) = free_ports(1)
    server = await asyncio.get_running_loop().create_server(
        lambda: SMTP(Nowhere(), hostname="bottomless.example"), LOOPBACK, port
    )
    try:
        yield port
    finally:
        server.close()
        await server.wait_closed()


def stack_file(**changes: Any) -> dict[str, Any]:
    """A stack file whose doors lead nowhere, but for what is given."""
    nowhere = f"http://{LOOPBACK}:{free_ports(1)[0]}"
    mail = {"host": LOOPBACK, "port": free_ports(1)[0]}
    return {
        "schema": "deskworld/stack/1",
        "id": "little",
        "kind": "given",
        **dict.fromkeys(("erp", "erp_stage", "desk", "desk_stage", "agent_door", "policy"), nowhere),
        "issuer": f"{nowhere}/realms/deskworld",
        **dict.fromkeys(("smtp", "submission", "imap"), mail),
        "secrets": dict.fromkeys(("erp_stage", "desk_stage", "agent_client", "counterparty_mailbox"), "-"),
        **changes,
    }
