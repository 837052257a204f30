"""HTTP clients: httpx's API over aiohttp's transport, which costs a fifth of the CPU."""

from typing import Any

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport

from deskworld_kit import clock

FIRST_PAUSE, LONGEST_PAUSE = 0.05, 0.5
AT_ONCE = {"knocking": 0.0}
"""The extensions of a request that asks whether a door is open, and is not to wait for it."""


class _NoCookies(httpx.Cookies):
    def extract_cookies(self, response: httpx.Response) -> None:
        """Nobody here keeps a session by cookie, and to look for one costs a fifth of a request."""


class _Client(httpx.AsyncClient):
    cookies = _NoCookies()  # type: ignore[override] # a property of httpx's own


class _Knocking(AiohttpTransport):
    """Knocks again for so many seconds where nobody listens, which is how a door looks while its service restarts.

    No octet of the request was sent by then, so any request may be. What a service answers, and a connection that
    breaks, is its caller's to judge.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        until = clock.monotonic() + request.extensions.get("knocking", self._seconds)
        pause = FIRST_PAUSE
        while True:
            try:
                return await super().handle_async_request(request)
            except httpx.TransportError as error:
                # by its cause: the transport calls a refused connection and a broken one a timeout
                if isinstance(error.__cause__, aiohttp.ServerDisconnectedError):
                    raise httpx.RemoteProtocolError("the connection broke", request=request) from error
                if not isinstance(error.__cause__, aiohttp.ClientConnectorError):
                    raise
                if clock.monotonic() + pause > until:
                    raise httpx.ConnectError(f"nobody listens: {error}", request=request) from error
            await clock.pause(pause)
            pause = min(2 * pause, LONGEST_PAUSE)


def client(*, base_url: str = "", timeout: float = 10.0, knocking: float = 0.0, **options: Any) -> httpx.AsyncClient:
    """A client with persistent connections. In seconds: `timeout`, for each phase of a request; `knocking`, how long a
    door at which nobody listens is tried again (a service that restarts is back in that time)."""
    return _Client(base_url=base_url, timeout=timeout, transport=_Knocking(knocking), trust_env=False, **options)
