"""Flags on a page: what bars a case, why somebody wants it cleared, and the second person's word."""

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from deskworld_desk.flags.clearing import ask_to_clear, confirm, keep
from deskworld_desk.flags.reading import standing_flags
from deskworld_desk.workbench.flag_routes import Confirm, Reason, still_standing
from deskworld_desk.workbench.pages.bench import Workbench
from deskworld_desk.workbench.pages.doorway import Wrong, done, read
from deskworld_desk.workbench.pages.sessions import BASE, Visitor
from deskworld_desk.workbench.seen import seeing

ADDRESS = f"{BASE}/flags"
Fields = dict[str, str]


async def flags_page(bench: Workbench, request: Request, visitor: Visitor) -> Response:
    return await _show(bench, visitor, request.query_params.get("done"), None)


async def clear(bench: Workbench, request: Request, visitor: Visitor, sent: Fields) -> Response:
    async def command(flag_id: str) -> Any:
        body = read(Reason, reason=sent.get("reason"), seen=sent.get("seen"))
        return await ask_to_clear(
            seeing(bench.desk, body.seen, still_standing(flag_id)), flag_id, visitor.who, body.reason
        )

    return await _taken(bench, request, visitor, "clear", sent, command)


async def confirm_flag(bench: Workbench, request: Request, visitor: Visitor, sent: Fields) -> Response:
    async def command(flag_id: str) -> Any:
        body = read(Confirm, seen=sent.get("seen"))
        return await confirm(seeing(bench.desk, body.seen, still_standing(flag_id)), flag_id, visitor.who)

    return await _taken(bench, request, visitor, "confirm", sent, command)


async def keep_flag(bench: Workbench, request: Request, visitor: Visitor, sent: Fields) -> Response:
    async def command(flag_id: str) -> Any:
        body = read(Reason, reason=sent.get("reason"), seen=sent.get("seen"))
        return await keep(seeing(bench.desk, body.seen, still_standing(flag_id)), flag_id, visitor.who, body.reason)

    return await _taken(bench, request, visitor, "keep", sent, command)


async def _taken(
    bench: Workbench,
    request: Request,
    visitor: Visitor,
    name: str,
    sent: Fields,
    command: Callable[[str], Awaitable[Any]],
) -> Response:
    flag_id = request.path_params["flag_id"]

    async def on_flag() -> Any:
        return await command(flag_id)

    async def again(wrong: Wrong) -> Response:
        return await _show(bench, visitor, None, wrong)

    return await done(f"{name}-{flag_id}", sent, on_flag, then=ADDRESS, again=again)


async def _show(bench: Workbench, visitor: Visitor, did: str | None, wrong: Wrong | None) -> Response:
    found = await standing_flags(bench.desk, visitor.who)
    status = 200 if wrong is None else wrong.status
    return bench.render.page(
        "flags.html", visitor=visitor, status=status, here="flags", flags=found, did=did, wrong=wrong
    )
