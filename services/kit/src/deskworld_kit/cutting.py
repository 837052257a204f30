"""A connection that ends without an answer, as a broken network ends it: for doors that play at being unwell."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

EXTENSION = "deskworld.cut"


class ConnectionCut(Exception):
    """Raised in place of the cut where the server below offers none: a test's transport hands it to the caller."""


class CuttingProtocol(HttpToolsProtocol):
    """uvicorn's own, with one ASGI extension: the application may cut the connection."""

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
