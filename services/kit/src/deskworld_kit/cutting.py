"""A connection that ends without an answer, as a broken network ends it: for doors that play at being unwell."""

from asyncio import Transport
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from deskworld_kit.joining import JoiningTransport

EXTENSION = "deskworld.cut"


class ConnectionCut(Exception):
    """Raised in place of the cut where the server below offers none: a test's transport hands it to the caller."""


class CuttingProtocol(HttpToolsProtocol):
    """uvicorn's own, with one ASGI extension: the application may cut the connection. An answer leaves in one piece."""

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # uvicorn has it so
        super().connection_made(transport)
        self.transport = cast("Transport", JoiningTransport(transport, self.loop))

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["extensions"] = {EXTENSION: {"cut": self.transport.abort}}


async def cut(scope: MutableMapping[str, Any], receive: Callable[[], Awaitable[MutableMapping[str, Any]]]) -> None:
    """Returns when the connection is gone. Raises ConnectionCut where the server cannot cut it."""
    extension = scope.get("extensions", {}).get(EXTENSION)
    if extension is None:
        raise ConnectionCut
    extension["cut"]()
    while (await receive())["type"] != "http.disconnect":
        pass
