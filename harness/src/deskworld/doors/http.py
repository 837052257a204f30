"""JSON over HTTP: one client per door, errors that name the door, what was asked and what it said."""

from typing import Any

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport

from deskworld.doors.patience import AWAY_SECONDS, Patience
from deskworld.errors import DoorFailed

AWAY = frozenset({429, 502, 503, 504})
"""Answers that speak of now and not of what was asked (RFC 9110)."""
NEVER_MADE = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)
"""A connection that was never made carried nothing. Told by the cause: the transport gives one that broke after it
carried the request the same name."""


class Refusal(DoorFailed):
    """A door's true no: a 4xx problem document with its stable code."""

    def __init__(self, what: str, *, status: int, code: str) -> None:
        super().__init__(what)
        self.status = status
        self.code = code


class _NoCookies(httpx.Cookies):
    def extract_cookies(self, response: httpx.Response) -> None:
        """Nobody here keeps a session by cookie, and to look for one costs a fifth of a request."""


class _Client(httpx.AsyncClient):
    cookies = _NoCookies()  # type: ignore[override] # a property of httpx's own


class HttpDoor:
    """Persistent connections to one base address.

    A door that is away is asked again for `away` seconds. What was perhaps heard is sent a second time only where that
    does no more than once: a read, a put, and a post that is known by a key of its own.
    """

    def __init__(
        self,
        name: str,
        base_url: str,
        *,
        secret: str | None = None,
        timeout: float = 30.0,
        away: float = AWAY_SECONDS,
    ) -> None:
        headers = {"authorization": f"Bearer {secret}"} if secret else {}
        self.name = name
        self.base_url = base_url
        self._patience = Patience(away)
        self.client = _Client(
            base_url=base_url, headers=headers, timeout=timeout, transport=AiohttpTransport(), trust_env=False
        )

    async def get(self, path: str, **query: str) -> Any:
        return await self._call("GET", path, repeatable=True, params=query)

    async def post(self, path: str, body: Any = None, *, token: str | None = None, key: str | None = None) -> Any:
        """`key` names what is posted: the door does it once, however often it is sent (Idempotency-Key)."""
        return await self._call("POST", path, repeatable=key is not None, json=body, headers=_headers(token, key))

    async def ask(self, path: str, body: Any) -> Any:
        """A post that changes nothing."""
        return await self._call("POST", path, repeatable=True, json=body)

    async def put(self, path: str, body: Any) -> Any:
        return await self._call("PUT", path, repeatable=True, json=body)

    async def delete(self, path: str, **query: str) -> None:
        await self._call("DELETE", path, repeatable=True, params=query)

    async def close(self) -> None:
        await self.client.aclose()

    async def _call(self, method: str, path: str, *, repeatable: bool, **options: Any) -> Any:
        """Raises Refusal for a 4xx, DoorFailed for everything else that is not a success."""
        last: DoorFailed | None = None
        async for _ in self._patience.tries():
            try:
                answer = await self.client.request(method, path, **options)
            except httpx.HTTPError as error:
                last = self._no_answer(method, path, error)
                if not repeatable and not isinstance(error.__cause__, NEVER_MADE):
                    raise last from error
                continue
            if answer.is_success:
                self._patience.met()
                return answer.json() if answer.content else None
            last = _error(self.name, method, path, answer)
            if answer.status_code not in AWAY:
                self._patience.met()
                raise last
            if not repeatable:
                raise last
        assert last is not None  # noqa: S101 - there is no way out of the loop without a try
        raise last

    def _no_answer(self, method: str, path: str, error: httpx.HTTPError) -> DoorFailed:
        return DoorFailed(
            f"{self.name} did not answer {method} {self.base_url}{path}: {type(error).__name__} {error}",
            next_step="`harness doctor` says what is wrong with the stack",
        )


def _headers(token: str | None, key: str | None) -> dict[str, str]:
    said = {"authorization": f"Bearer {token}"} if token else {}
    return {**said, "idempotency-key": key} if key else said


def _error(name: str, method: str, path: str, answer: httpx.Response) -> DoorFailed:
    try:
        problem = answer.json()
        code, detail = str(problem["code"]), str(problem["detail"])
    except (ValueError, KeyError, TypeError):
        code, detail = "UNKNOWN", answer.text[:200]
    what = f"{name} answered {method} {path} with {answer.status_code} {code}: {detail}"
    if 400 <= answer.status_code < 500:
        return Refusal(what, status=answer.status_code, code=code)
    return DoorFailed(what, next_step="look at the service's log; `harness doctor` says where it is")
