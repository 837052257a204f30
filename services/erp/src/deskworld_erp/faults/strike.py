"""The office door under faults: an ASGI layer around the whole door, which the stage door never passes through."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

from sqlalchemy.exc import SQLAlchemyError
from starlette.requests import Request

from deskworld_erp.erp import Erp
from deskworld_erp.faults.rules import Fault, Kind, Struck
from deskworld_kit import clock, problems
from deskworld_kit.answers import etag
from deskworld_kit.cutting import cut
from deskworld_kit.paths import Paths
from deskworld_kit.problems import Problem

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

SPARED = frozenset({"/health"})
WORDS = {
    429: ("RATE_LIMITED", "Too many requests; try again later."),
    500: ("INTERNAL", "Something broke here, not in your request."),
    503: ("UNAVAILABLE", "The service is not available now; try again."),
}
NAMED_BY = ("vendor_id", "entity")


@dataclass(slots=True)
class Kept:
    """An answer that is held back."""

    messages: list[Message] = field(default_factory=list)

    async def take(self, message: Message) -> None:
        self.messages.append(message)

    @property
    def status(self) -> int:
        return int(self.messages[0]["status"]) if self.messages else 0

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.messages[1:])

    def saying(self, body: bytes) -> "Kept":
        """The same head with another body."""
        other = {b"content-length": str(len(body)).encode(), b"etag": etag(body).encode()}
        head = [(name, other.get(name, value)) for name, value in self.messages[0]["headers"]]
        return Kept([{**self.messages[0], "headers": head}, {"type": "http.response.body", "body": body}])


@dataclass(frozen=True, slots=True)
class Met:
    """A call, and what meets it."""

    struck: Struck
    address: str


class UnderFaults:
    """Wraps a door: `app.add_middleware(UnderFaults, erp=…, paths=…)`."""

    def __init__(self, app: App, *, erp: Erp, paths: Paths) -> None:
        self._app = app
        self._erp = erp
        self._live = erp.faults
        self._paths = paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        met = None
        if scope["type"] == "http" and (self._live.known or not self._live.read):
            met = await self._meets(scope)
        if met is None:
            await self._app(scope, receive, send)
            return
        if met.struck.milliseconds:
            await clock.pause(met.struck.milliseconds / 1000)
        fault = met.struck.by
        if fault is None:
            # what an address answers is kept from the first call on: it may be asked for when it is stale
            await self._watched(met, scope, receive, send, stale=False)
            return
        match fault.kind:
            case Kind.STATUS:
                await _answer(fault, scope, receive, send)
            case Kind.DROP:
                await cut(scope, receive)
            case Kind.COMMIT_THEN_TIMEOUT:
                await self._app(scope, receive, Kept().take)
                await _gone_within(receive, (fault.milliseconds or 0) / 1000)
                await cut(scope, receive)
            case _:
                await self._watched(met, scope, receive, send, stale=True)

    async def _meets(self, scope: Scope) -> Met | None:
        """None: no fault concerns this call. A database that is away is the door's to tell of, so it is none either."""
        try:
            if not self._live.read:
                async with self._erp.read() as connection:
                    await self._live.load(connection)
            found = self._paths.find(scope["method"], scope["path"])
            if found is None or found.route.template in SPARED:
                return None
            return await self._struck(scope, found.route.template, found.named)
        except (OSError, SQLAlchemyError):
            return None

    async def _struck(self, scope: Scope, route: str, named: tuple[str, ...]) -> Met | None:
        method, query = scope["method"], scope["query_string"].decode("latin-1")
        asked = parse_qs(query)
        records = named or tuple(value for name in NAMED_BY for value in asked.get(name, ()))
        vendor_id = None
        if records and self._live.may_owe(method, route):
            async with self._erp.read() as connection:
                vendor_id = await self._live.owner(connection, records[0])
        faults = self._live.of(vendor_id, method, route)
        if not faults:
            return None
        record = records[0] if records else ""
        return Met(self._live.call(faults, method, route, record), f"{scope['path']}?{query}")

    async def _watched(self, met: Met, scope: Scope, receive: Receive, send: Send, *, stale: bool) -> None:
        if scope["method"] != "GET" or not self._live.stale_reads:
            await self._app(scope, receive, send)
            return
        kept = Kept()
        unconditional = [(name, value) for name, value in scope["headers"] if name != b"if-none-match"]
        await self._app({**scope, "headers": unconditional}, receive, kept.take)
        if kept.status == HTTPStatus.OK:
            before = self._live.answered(met.address, kept.body)
            kept = kept.saying(before) if stale else kept
        for message in kept.messages:
            await send(message)


async def _answer(fault: Fault, scope: Scope, receive: Receive, send: Send) -> None:
    status = fault.status or HTTPStatus.SERVICE_UNAVAILABLE
    code, detail = WORDS[status]
    headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
    answer = problems.render(Problem(status, code, detail, headers=headers), Request(scope))
    await answer(scope, receive, send)


async def _gone_within(receive: Receive, seconds: float) -> None:
    """Until the caller has given up, or the time is over."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while (await receive())["type"] != "http.disconnect":
                pass
