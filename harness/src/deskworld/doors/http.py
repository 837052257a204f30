"""JSON over HTTP: one client per door, errors that name the door, what was asked and what it said."""

from typing import Any

import httpx
from httpx_aiohttp import AiohttpTransport

from deskworld.errors import DoorFailed

TRIES = 3


class Refusal(DoorFailed):
    """A door's true no: a 4xx problem document with its stable code."""

    def __init__(self, what: str, *, status: int, code: str) -> None:
        super().__init__(what)
        self.status = status
        self.code = code


class HttpDoor:
    """Persistent connections to one base address."""

    def __init__(self, name: str, base_url: str, *, secret: str | None = None, timeout: float = 30.0) -> None:
        headers = {"authorization": f"Bearer {secret}"} if secret else {}
        self.name = name
        self.base_url = base_url
        self.client = httpx.AsyncClient(
            base_url=base_url, headers=headers, timeout=timeout, transport=AiohttpTransport(), trust_env=False
        )

    async def get(self, path: str, **query: str) -> Any:
        return await self._call("GET", path, params=query)

    async def post(self, path: str, body: Any = None, *, token: str | None = None) -> Any:
        return await self._call("POST", path, json=body, headers=_bearer(token))

    async def put(self, path: str, body: Any) -> Any:
        return await self._call("PUT", path, json=body)

    async def close(self) -> None:
        await self.client.aclose()

    async def _call(self, method: str, path: str, **options: Any) -> Any:
        """Raises Refusal for a 4xx, DoorFailed for everything else that is not a success."""
        try:
            answer = await self.client.request(method, path, **options)
        except httpx.HTTPError as error:
            raise DoorFailed(
                f"{self.name} did not answer {method} {self.base_url}{path}: {type(error).__name__} {error}",
                next_step="`harness doctor` says what is wrong with the stack",
            ) from error
        if answer.is_success:
            return answer.json() if answer.content else None
        raise _error(self.name, method, path, answer)


def _bearer(token: str | None) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"} if token else {}


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
