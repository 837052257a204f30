"""The head and the body of an answer leave together: to send costs a service more than to make a short answer, and the
server below sends the two apart."""

from asyncio import AbstractEventLoop, Transport
from typing import Any

Written = bytes | bytearray | memoryview


class JoiningTransport:
    """Stands before a transport, and sends at once what is written within one turn of the event loop."""

    def __init__(self, transport: Transport, loop: AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._held: list[Written] = []

    def write(self, data: Written) -> None:
        if not self._held:
            self._loop.call_soon(self._send)
        self._held.append(data)

    def close(self) -> None:
        """What was written before still leaves."""
        self._send()
        self._transport.close()

    def abort(self) -> None:
        """What was written before does not leave any more."""
        self._held.clear()
        self._transport.abort()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def _send(self) -> None:
        held, self._held = self._held, []
        if held and not self._transport.is_closing():
            self._transport.write(held[0] if len(held) == 1 else b"".join(held))
