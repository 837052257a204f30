"""Reading the ERP with the desk's own account, which may only read; and sending a person's command with that person's
token."""

import asyncio
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx

from deskworld_desk.world import Json, Unreachable
from deskworld_kit import clock
from deskworld_kit.health import Unwell
from deskworld_kit.http import AT_ONCE
from deskworld_kit.identity import ServiceAccount

TRIES = 3
FIRST_PAUSE = 0.05
LONGEST_RETRY_AFTER = 2.0


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds that one try may take, from its start to the whole of its answer."""

    read: float = 10.0
    command: float = 30.0


class ErpClient:
    def __init__(self, http: httpx.AsyncClient, account: ServiceAccount, deadlines: Deadlines | None = None) -> None:
        self._http = http
        self._account = account
        self._deadlines = deadlines or Deadlines()

    async def invoice(self, invoice_id: str) -> Json:
        return await self._must_read(f"/invoices/{quote(invoice_id, safe='')}")

    async def similar(self, invoice_id: str) -> Json:
        return await self._must_read(f"/invoices/{quote(invoice_id, safe='')}/similar")

    async def vendor(self, vendor_id: str) -> Json:
        return await self._must_read(f"/vendors/{quote(vendor_id, safe='')}")

    async def vendor_invoices(self, vendor_id: str) -> Json:
        """All of them, over all pages."""
        path = f"/vendors/{quote(vendor_id, safe='')}/invoices"
        page = await self._must_read(path)
        items = list(page["items"])
        while page.get("next"):
            page = await self._must_read(f"{path}?cursor={quote(str(page['next']), safe='')}")
            items += page["items"]
        return {"items": items, "next": None}

    async def order(self, number: str) -> Json | None:
        """None when the ERP knows no such order."""
        return await self._read(f"/purchase-orders/{quote(number, safe='')}")

    async def receipts(self, number: str) -> Json | None:
        return await self._read(f"/purchase-orders/{quote(number, safe='')}/receipts")

    async def command_outcome(self, key: str) -> Json:
        return await self._must_read(f"/commands/{quote(key, safe='')}")

    async def check(self) -> None:
        """Whether the ERP could seed a case and lets the desk read. Raises Unwell, with the ERP's own words."""
        try:
            token = await self._account.token()
        except (httpx.HTTPError, ValueError, KeyError) as error:
            raise Unwell(f"the issuer gives the desk no token: {type(error).__name__} {error}".rstrip()) from error
        try:
            answer = await self._http.get("/health", extensions=AT_ONCE)
            if answer.status_code != httpx.codes.OK:
                raise Unwell(f"the ERP is not well: {_words(answer)}")
            read = await self._http.get("/match-exceptions?limit=1", headers={"Authorization": f"Bearer {token}"})
        except httpx.HTTPError as error:
            raise Unwell(f"the ERP cannot be had: {type(error).__name__} {error}".rstrip()) from error
        if read.status_code != httpx.codes.OK:
            raise Unwell(f"the ERP does not let the desk's account read: {_words(read)}")

    async def send(self, path: str, *, body: Json, token: str, key: str) -> httpx.Response:
        """One try. Raises Unreachable for what says nothing about the command: no answer, a 5xx, a 429."""
        headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": key}
        try:
            async with asyncio.timeout(self._deadlines.command):
                answer = await self._http.post(path, json=body, headers=headers, timeout=self._deadlines.command)
        except (httpx.HTTPError, TimeoutError) as error:
            raise Unreachable(f"{type(error).__name__}: {error}") from error
        if answer.status_code >= 500 or answer.status_code == httpx.codes.TOO_MANY_REQUESTS:
            raise Unreachable(f"answered {answer.status_code}", _retry_after(answer))
        return answer

    async def look(self, path: str, *, token: str) -> httpx.Response:
        """A read with a person's own token, one try. Raises Unreachable as `send` does."""
        try:
            async with asyncio.timeout(self._deadlines.read):
                answer = await self._http.get(
                    path, headers={"Authorization": f"Bearer {token}"}, timeout=self._deadlines.read
                )
        except (httpx.HTTPError, TimeoutError) as error:
            raise Unreachable(f"{type(error).__name__}: {error}") from error
        if answer.status_code >= 500 or answer.status_code == httpx.codes.TOO_MANY_REQUESTS:
            raise Unreachable(f"answered {answer.status_code}", _retry_after(answer))
        return answer

    async def _must_read(self, path: str) -> Json:
        found = await self._read(path)
        if found is None:
            raise Unreachable(f"GET {path}: the ERP knows no such record")
        return found

    async def _read(self, path: str) -> Json | None:
        """Up to three tries. Raises Unreachable; None for 404."""
        pause, last = FIRST_PAUSE, Unreachable(f"GET {path}: no try was made")
        for left in reversed(range(TRIES)):
            try:
                return await self._read_once(path)
            except Unreachable as error:
                last = error
                if error.retry_after is not None and error.retry_after > LONGEST_RETRY_AFTER:
                    break
                if left:
                    await clock.pause(error.retry_after if error.retry_after is not None else pause)
                    pause *= 2
        raise last

    async def _read_once(self, path: str) -> Json | None:
        try:
            async with asyncio.timeout(self._deadlines.read):
                token = await self._account.token()
                answer = await self._http.get(
                    path, headers={"Authorization": f"Bearer {token}"}, timeout=self._deadlines.read
                )
                if answer.status_code == httpx.codes.NOT_FOUND:
                    return None
                if answer.status_code == httpx.codes.UNAUTHORIZED:
                    self._account.forget(token)
                if answer.status_code != httpx.codes.OK:
                    raise Unreachable(f"GET {path}: answered {answer.status_code}", _retry_after(answer))
                found: Any = answer.json()
        except (httpx.HTTPError, TimeoutError, ValueError, KeyError) as error:
            raise Unreachable(f"GET {path}: {type(error).__name__} {error}".rstrip()) from error
        if not isinstance(found, dict):
            raise Unreachable(f"GET {path}: answered something that is no document")
        return found


def _words(answer: httpx.Response) -> str:
    try:
        said: Any = answer.json()
        checks = said.get("checks") or {}
        wrong = "; ".join(f"{part}: {state}" for part, state in checks.items() if state != "ok")
        return wrong or str(said.get("detail") or f"it answers {answer.status_code}")
    except (ValueError, AttributeError):
        return f"it answers {answer.status_code}"


def _retry_after(answer: httpx.Response) -> float | None:
    try:
        return max(0.0, float(answer.headers["retry-after"]))
    except (KeyError, ValueError):
        return None
