"""Every read carries an ETag, and is answered 304 when the caller has that answer already (RFC 9110, If-None-Match)."""

from collections.abc import Awaitable, Callable, MutableMapping
from http import HTTPStatus
from typing import Any

from starlette.datastructures import Headers, MutableHeaders

from deskworld_kit.answers import etag

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
ENDLESS = "text/event-stream"


class Validators:
    """An ASGI layer: `app.add_middleware(Validators)`. An answer that has a validator of its own keeps it."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        await self._app(scope, receive, _Validating(Headers(scope=scope).get("if-none-match", ""), send))


class _Validating:
    """Holds the head back until the body is known."""

    def __init__(self, known: str, send: Send) -> None:
        self._known = {part.strip().removeprefix("W/") for part in known.split(",")} if known else set()
        self._send = send
        self._head: Message | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            kind = Headers(raw=message["headers"]).get("content-type", "")
            if message["status"] == HTTPStatus.OK and not kind.startswith(ENDLESS):
                self._head = message
                return
        elif self._head is not None:
            head, self._head = self._head, None
            if not message.get("more_body"):
                await self._whole(head, message)
                return
            await self._send(head)
        await self._send(message)

    async def _whole(self, head: Message, body: Message) -> None:
        headers = MutableHeaders(raw=head["headers"])
        tag = headers.setdefault("ETag", etag(body.get("body", b"")))
        headers.setdefault("Cache-Control", "no-cache")
        if tag not in self._known and "*" not in self._known:
            await self._send(head)
            await self._send(body)
            return
        for name in ("content-length", "content-type"):
            if name in headers:
                del headers[name]
        await self._send({**head, "status": int(HTTPStatus.NOT_MODIFIED), "headers": headers.raw})
        await self._send({**body, "body": b""})
