"""The realm, as its clients meet it: waited for, checked, signed in to. The same code against Keycloak and the embedded
issuer, through python-keycloak."""

import base64
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from deskworld.doors import clock
from deskworld.doors.http import AWAY
from deskworld.errors import DoorFailed
from deskworld.values.stack import Stack

PAUSE_SECONDS = 0.25
# identity stands on the address that the stack names: a proxy of the environment has no part in it
DIRECT = {"http://": None, "https://": None}


def load() -> None:
    """python-keycloak takes half a second of processor to load, and many on a busy machine: who has other deadlines
    running loads it before them."""
    import keycloak  # noqa: F401, PLC0415 - to have it loaded is all that is wanted


def client_of(stack: Stack, client_id: str, secret: str | None = None) -> Any:
    """A `KeycloakOpenID`; `close` ends its connections."""
    # the library takes 0.7 s to load: only who signs in pays for it, not `harness list`
    from keycloak import KeycloakOpenID  # noqa: PLC0415

    base, _, realm = stack.issuer.partition("/realms/")
    return KeycloakOpenID(
        server_url=base, realm_name=realm, client_id=client_id, client_secret_key=secret, timeout=20, proxies=DIRECT
    )


async def close(client: Any) -> None:
    await client.connection.async_s.aclose()
    client.connection._s.close()  # noqa: SLF001 - the library has no close of its own


@asynccontextmanager
async def opened(stack: Stack, client_id: str, secret: str | None = None) -> AsyncIterator[Any]:
    client = client_of(stack, client_id, secret)
    try:
        yield client
    finally:
        await close(client)


async def awaited(stack: Stack, within: float) -> Mapping[str, Any]:
    """The realm's own description (OpenID Connect Discovery 1.0), once it is served and calls itself what the stack
    calls it. Raises DoorFailed: at once for another name, else at the deadline with the last thing seen."""
    from keycloak.exceptions import KeycloakError  # noqa: PLC0415 - as above

    deadline = clock.monotonic() + within
    async with opened(stack, "harness") as client:
        while True:
            try:
                found: Mapping[str, Any] = await client.a_well_known()
            except (KeycloakError, TypeError, ValueError) as error:
                last = in_words(error)
            else:
                return _checked(found, stack)
            if clock.monotonic() >= deadline:
                raise DoorFailed(
                    f"identity: awaited the realm at {stack.issuer} for {within:g} s; last seen: {last}",
                    next_step="Keycloak serves a realm some 15 s after its start; is it up, and the realm imported?",
                )
            await clock.pause(PAUSE_SECONDS)


def _checked(found: Mapping[str, Any], stack: Stack) -> Mapping[str, Any]:
    called = found.get("issuer")
    if called != stack.issuer:
        raise DoorFailed(
            f"issuer mismatch: identity calls itself {called}, and the stack says {stack.issuer}",
            next_step="one public issuer string everywhere: the issuer's own host name (Keycloak: KC_HOSTNAME), "
            "the services' OIDC_ISSUER and the stack's `issuer`",
        )
    return found


async def client_token(stack: Stack, client_id: str, secret: str) -> Mapping[str, Any]:
    """The claims of a service account's token. Raises DoorFailed."""
    from keycloak.exceptions import KeycloakError  # noqa: PLC0415 - as above

    async with opened(stack, client_id, secret) as client:
        try:
            answer = await client.a_token(grant_type="client_credentials")
        except (KeycloakError, TypeError) as error:
            otherwise = "the stack's secret and the realm's must be the same (infra/keycloak/realm.json)"
            raise no_sign_in(f"the client {client_id!r}", error, otherwise) from error
    return claims(str(answer["access_token"]))


def claims(token: str) -> dict[str, Any]:
    """Unverified: the services verify; the harness only wants to know what it was given."""
    body = token.split(".")[1]
    found: dict[str, Any] = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    return found


def is_away(error: Exception) -> bool:
    """Whether it says that identity could not answer now, and nothing of what was asked."""
    from keycloak.exceptions import KeycloakConnectionError  # noqa: PLC0415 - as above

    return isinstance(error, KeycloakConnectionError) or getattr(error, "response_code", None) in AWAY


def no_sign_in(who: str, error: Exception, otherwise: str) -> DoorFailed:
    return DoorFailed(
        f"identity: {who} cannot sign in: {in_words(error)}",
        next_step="is identity up?" if is_away(error) else otherwise,
    )


def in_words(error: Exception) -> str:
    """The library's sentence, with the network's own where that is the cause."""
    return f"{error} ({error.__cause__})" if error.__cause__ else str(error)
