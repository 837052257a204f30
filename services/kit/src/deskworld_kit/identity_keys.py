"""The issuer's public keys (JWKS, RFC 7517): fetched when somebody needs them, and believed for a stated time only."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import httpx
import jwt

from deskworld_kit import clock

ANSWER_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class KeyTimes:
    """Seconds. A key that the issuer withdrew is accepted for at most `fresh` more; while the issuer cannot be asked,
    for at most `trusted`, and then nothing is. Two questions to the issuer start at least `apart` from each other,
    whatever is asked of us."""

    apart: float = 1.0
    fresh: float = 15.0
    trusted: float = 300.0


class KeyUnknown(Exception):
    """The issuer, asked after the question came, does not name this key."""


class KeysUnavailable(Exception):
    """The issuer's keys cannot be had, so nothing can be said about a token."""


class IssuerKeys:
    """The keys by their id. A key is called unknown only after a fetch that began when the question had come, so that a
    token of a new key is never refused; all who wait share one fetch."""

    def __init__(
        self,
        jwks_url: str,
        http: httpx.AsyncClient,
        times: KeyTimes | None = None,
        *,
        now: Callable[[], float] = clock.monotonic,
        pause: Callable[[float], Awaitable[None]] = clock.pause,
    ) -> None:
        self._jwks_url = jwks_url
        self._http = http
        self._times = times or KeyTimes()
        self._now = now
        self._pause = pause
        self._keys: dict[str, jwt.PyJWK] = {}
        self._fetched_at = float("-inf")
        self._tried_at = float("-inf")
        self._fetches = 0
        self._failure: KeysUnavailable | None = None
        self._fetching = asyncio.Lock()
        self._question: asyncio.Task[None] | None = None

    async def find(self, kid: str) -> jwt.PyJWK:
        """Raises KeyUnknown, KeysUnavailable."""
        known, age = self._keys.get(kid), self._age
        if known is not None and age < self._times.trusted:
            asked_lately = self._now() < self._tried_at + self._times.apart
            if age < self._times.fresh or self._fetching.locked() or asked_lately:
                return known
            try:
                await self._renew(kid, self._fetches)
            except KeysUnavailable:
                return known
        else:
            await self._renew(kid, self._fetches)
        if kid not in self._keys:
            raise KeyUnknown(kid)
        return self._keys[kid]

    async def asked(self) -> None:
        """Raises KeysUnavailable unless the issuer names keys now, or did a moment ago."""
        self._question = asyncio.create_task(self._ask())
        # whoever asks may go away; whoever waits for keys needs the answer
        await asyncio.shield(self._question)

    async def _ask(self) -> None:
        async with self._fetching:
            if self._now() >= self._tried_at + self._times.apart:
                await self._fetch()
        if self._failure is not None:
            raise self._failure
        if not self._keys:
            raise KeysUnavailable(f"the issuer names no key to sign with at {self._jwks_url}")

    @property
    def _age(self) -> float:
        return self._now() - self._fetched_at

    async def _renew(self, kid: str, fetches: int) -> None:
        """Returns when a fetch has ended that began after the first `fetches`, or when one that had begun brought the
        key. Raises KeysUnavailable."""
        async with self._fetching:
            if self._fetches == fetches and not (kid in self._keys and self._age < self._times.fresh):
                early = self._tried_at + self._times.apart - self._now()
                if early > 0:
                    await self._pause(early)
                await self._fetch()
            if self._failure is not None:
                raise self._failure

    async def _fetch(self) -> None:
        self._fetches += 1
        self._tried_at = self._now()
        try:
            answer = await self._http.get(self._jwks_url, timeout=ANSWER_SECONDS)
            answer.raise_for_status()
            found = jwt.PyJWKSet.from_dict(answer.json())
        except (httpx.HTTPError, jwt.PyJWTError, ValueError, AttributeError, TypeError) as error:
            said = f"{type(error).__name__} {error}".rstrip()
            self._failure = KeysUnavailable(f"the issuer's keys cannot be had from {self._jwks_url}: {said}")
            return
        self._keys = {key.key_id: key for key in found.keys if key.key_id and key.public_key_use in (None, "sig")}
        self._fetched_at, self._failure = self._tried_at, None
