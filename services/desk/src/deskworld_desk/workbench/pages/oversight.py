"""Oversight on a page: whether agents work, what is held, what waits on whom; a controller pauses all of them."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from deskworld_desk.turns.pausing import pause_agents, resume_agents
from deskworld_desk.workbench.oversight import oversight
from deskworld_desk.workbench.oversight_routes import Pause
from deskworld_desk.workbench.pages.bench import Workbench
from deskworld_desk.workbench.pages.doorway import Wrong, done, read
from deskworld_desk.workbench.pages.sessions import BASE, Visitor
from deskworld_desk.workbench.people import CONTROLS

ADDRESS = f"{BASE}/oversight"


async def oversight_page(bench: Workbench, request: Request, visitor: Visitor) -> Response:
    return await _show(bench, visitor, request.query_params.get("done"), None)


async def pause(bench: Workbench, request: Request, visitor: Visitor, sent: dict[str, str]) -> Response:
    async def command() -> Any:
        return await pause_agents(bench.desk, visitor.who, read(Pause, reason=sent.get("reason")).reason)

    return await _taken(bench, visitor, "pause", sent, command)


async def resume_all(bench: Workbench, request: Request, visitor: Visitor, sent: dict[str, str]) -> Response:
    async def command() -> Any:
        return await resume_agents(bench.desk, visitor.who)

    return await _taken(bench, visitor, "resume", sent, command)


async def _taken(bench: Workbench, visitor: Visitor, name: str, sent: dict[str, str], command: Any) -> Response:
    async def again(wrong: Wrong) -> Response:
        return await _show(bench, visitor, None, wrong)

    return await done(name, sent, command, then=ADDRESS, again=again)


async def _show(bench: Workbench, visitor: Visitor, did: str | None, wrong: Wrong | None) -> Response:
    found = await oversight(bench.desk)
    status = 200 if wrong is None else wrong.status
    controls = bool(visitor.who.roles & CONTROLS)
    return bench.render.page(
        "oversight.html",
        visitor=visitor,
        status=status,
        here="oversight",
        controls=controls,
        did=did,
        wrong=wrong,
        **found,
    )
