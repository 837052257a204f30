"""The people's sign-in: one token per person and stack, by the password grant, through python-keycloak."""

import asyncio
import base64
import json
from typing import Any

from deskworld.doors import clock
from deskworld.errors import DoorFailed
from deskworld.values.stack import Stack

REFRESH_BEFORE_SECONDS = 60


class People:
    """Signs the realm's people in. The same code against Keycloak and the embedded issuer."""

    def __init__(self, stack: Stack) -> None:
        # the library takes 0.7 s to load: only a campaign pays for it, not `harness list`
        from keycloak import KeycloakOpenID  # noqa: PLC0415

        base, _, realm = stack.issuer.partition("/realms/")
        self._client = KeycloakOpenID(server_url=base, realm_name=realm, client_id="harness", timeout=20)
        self._password = stack.secrets.people
        self._tokens: dict[str, tuple[str, float]] = {}
        self._signing_in: dict[str, asyncio.Lock] = {}
        self.subjects: dict[str, str] = {}

    async def token(self, username: str) -> str:
        """A token that lives for at least another minute. Raises DoorFailed."""
        lock = self._signing_in.setdefault(username, asyncio.Lock())
        async with lock:
            token, until = self._tokens.get(username, ("", float("-inf")))
            if clock.monotonic() < until:
                return token
            return await self._sign_in(username)

    async def _sign_in(self, username: str) -> str:
        from keycloak.exceptions import KeycloakError  # noqa: PLC0415 - as above

        try:
            answer: dict[str, Any] = await self._client.a_token(username=username, password=self._password)
        except KeycloakError as error:
            raise DoorFailed(
                f"identity: {username} cannot sign in: {error}",
                next_step="compare the realm's people and password with infra/keycloak/realm.json",
            ) from error
        token = str(answer["access_token"])
        self._tokens[username] = (token, clock.monotonic() + float(answer["expires_in"]) - REFRESH_BEFORE_SECONDS)
        self.subjects[username] = str(_claims(token)["sub"])
        return token

    async def close(self) -> None:
        await self._client.connection.async_s.aclose()
        self._client.connection._s.close()  # noqa: SLF001 - the library has no close of its own


def _claims(token: str) -> dict[str, Any]:
    """The claims, unverified: the services verify; the harness only wants to know whom it was given."""
    body = token.split(".")[1]
    found: dict[str, Any] = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    return found
