"""What is refused at the rim of a door: a method that the path has not, an unknown media type, a body too large."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from deskworld_kit import problems
from deskworld_kit.paths import Found, Paths
from deskworld_kit.problems import Problem

MOST_BYTES = 4 * 1024 * 1024
TOO_LARGE = f"The body is larger than {MOST_BYTES} bytes."
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]


class Rim:
    """An ASGI layer: `app.add_middleware(Rim, paths=…)`."""

    def __init__(self, app: Callable[..., Awaitable[None]], *, paths: Paths) -> None:
        self._app = app
        self._paths = paths

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Any) -> None:
        if scope["type"] != "http" or scope["method"] == "GET":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        found = self._paths.find(request.method, scope["path"])
        problem = _too_large(request) or self._no_method(request, found) or _unknown(request, found)
        if problem is not None:
            await problems.render(problem, request)(scope, receive, send)
            return
        await self._app(scope, _counted(receive), send)

    def _no_method(self, request: Request, found: Found | None) -> Problem | None:
        """405 with all methods of the path (RFC 9110, 15.5.6); a path that leads nowhere is for the router to say."""
        has = () if found is not None else self._paths.methods(request.scope["path"])
        if not has:
            return None
        detail = f"{request.method} is not possible here; {', '.join(has)} is."
        return Problem(405, "METHOD_NOT_ALLOWED", detail, headers={"Allow": ", ".join(has)})


def _unknown(request: Request, found: Found | None) -> Problem | None:
    """No body needs no media type: what is missing then is for the route to say."""
    sent = request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers
    if not sent or found is None or not found.route.takes:
        return None
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type in found.route.takes:
        return None
    takes = sorted(found.route.takes)
    sent_as = media_type[:100] or "a body of unknown type"
    detail = f"Content-Type: this route takes {' or '.join(takes)}, not {sent_as}."
    return Problem(415, "UNSUPPORTED_MEDIA_TYPE", detail, takes=takes, headers={"Accept": ", ".join(takes)})


def _too_large(request: Request) -> Problem | None:
    length = request.headers.get("content-length", "0")
    if not length.isascii() or not length.isdigit() or int(length[:20]) <= MOST_BYTES:
        return None
    # the rest of it is not read: the connection cannot be used again
    return Problem(413, "TOO_LARGE", TOO_LARGE, most=MOST_BYTES, headers={"Connection": "close"})


def _counted(receive: Receive) -> Receive:
    """For bodies that do not say beforehand how long they are."""
    arrived = 0

    async def counting() -> Message:
        nonlocal arrived
        message = await receive()
        arrived += len(message.get("body", b""))
        if arrived > MOST_BYTES:
            raise HTTPException(413, TOO_LARGE, headers={"Connection": "close"})
        return message

    return counting
