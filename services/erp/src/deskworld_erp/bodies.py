"""What a body is sent as: refused with 415 where the route, as described, takes no such media type."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.requests import Request

from deskworld_erp.paths import Paths
from deskworld_kit import problems
from deskworld_kit.problems import Problem

MOST_BYTES = 4 * 1024 * 1024
WITH_BODY = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class MediaTypes:
    """An ASGI layer: `app.add_middleware(MediaTypes, paths=…)`."""

    def __init__(self, app: Callable[..., Awaitable[None]], *, paths: Paths) -> None:
        self._app = app
        self._paths = paths

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "http" and scope["method"] in WITH_BODY:
            request = Request(scope)
            problem = self._refused(request)
            if problem is not None:
                await problems.render(problem, request)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _refused(self, request: Request) -> Problem | None:
        """No body needs no media type: what is missing then is for the route to say."""
        sent = request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers
        found = self._paths.find(request.method, request.scope["path"]) if sent else None
        if found is None or not found.route.takes:
            return None
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type in found.route.takes:
            return None
        takes = sorted(found.route.takes)
        sent_as = media_type[:100] or "a body of unknown type"
        detail = f"Content-Type: this route takes {' or '.join(takes)}, not {sent_as}."
        return Problem(415, "UNSUPPORTED_MEDIA_TYPE", detail, takes=takes, headers={"Accept": ", ".join(takes)})
