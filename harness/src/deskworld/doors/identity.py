"""The people's sign-in: one token per person and stack, by the password grant, through python-keycloak."""

import asyncio
from collections.abc import Mapping
from typing import Any

from deskworld.doors import clock, realm
from deskworld.doors.patience import AWAY_SECONDS, Patience
from deskworld.values.stack import Stack

REFRESH_BEFORE_SECONDS = 60
REALM_SECONDS = 60.0
"""Keycloak on a busy machine takes half of that from its start to its realm."""


class People:
    """Signs the realm's people in. Identity that is away is asked again for `away` seconds."""

    def __init__(self, stack: Stack, *, away: float = AWAY_SECONDS) -> None:
        self._stack = stack
        self._patience = Patience(away)
        self._client = realm.client_of(stack, "harness")
        self._tokens: dict[str, tuple[str, float]] = {}
        self._signing_in: dict[str, asyncio.Lock] = {}
        self.subjects: dict[str, str] = {}

    async def open(self, within: float = REALM_SECONDS) -> Mapping[str, Any]:
        """Returns once the realm is served under the stack's issuer: its description. Raises DoorFailed."""
        return await realm.awaited(self._stack, within)

    async def token(self, username: str) -> str:
        """A token that lives for at least another minute. Raises DoorFailed."""
        lock = self._signing_in.setdefault(username, asyncio.Lock())
        async with lock:
            token, until = self._tokens.get(username, ("", float("-inf")))
            if clock.monotonic() < until:
                return token
            return await self._sign_in(username)

    async def _sign_in(self, username: str) -> str:
        answer = await self._asked(username)
        token = str(answer["access_token"])
        self._tokens[username] = (token, clock.monotonic() + float(answer["expires_in"]) - REFRESH_BEFORE_SECONDS)
        self.subjects[username] = str(realm.claims(token)["sub"])
        return token

    async def _asked(self, username: str) -> dict[str, Any]:
        from keycloak.exceptions import KeycloakError  # noqa: PLC0415 - loaded by whoever signs in

        last: Exception | None = None
        async for _ in self._patience.tries():
            try:
                answer: dict[str, Any] = await self._client.a_token(
                    username=username, password=self._stack.secrets.people
                )
            except (KeycloakError, TypeError) as error:
                last = error
                if not realm.is_away(error):
                    break
            else:
                self._patience.met()
                return answer
        assert last is not None  # noqa: S101 - there is no way out of the loop without a try
        otherwise = "compare the realm's people and password with infra/keycloak/realm.json"
        raise realm.no_sign_in(username, last, otherwise) from last

    async def close(self) -> None:
        await realm.close(self._client)
