"""Identity: the realm under its one name, a person's token that the services take, an agent's for its door alone."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from deskworld.doors import clock
from deskworld.doors import realm as realms
from deskworld.doors.identity import People
from deskworld.doors.probe import clock_ahead, said_by
from deskworld.errors import DoorFailed
from deskworld.health import clocks
from deskworld.values.realm import holders
from deskworld.values.stack import Stack

REALM_SECONDS = 5.0
NEXT = "is this the realm of infra/keycloak/realm.json?"
WORKBENCH = {
    "client_id": "workbench",
    "response_type": "code",
    "redirect_uri": "http://127.0.0.1/",
    "scope": "openid",
    # RFC 7636, appendix B
    "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    "code_challenge_method": "S256",
}
PERSON, DESK, AGENT = {"desk", "erp"}, {"erp"}, {"desk-agent"}


def load() -> None:
    """Before the first look: afterwards it would keep the other looks from their doors for as long as it takes."""
    realms.load()


async def realm(stack: Stack) -> str:
    """Raises DoorFailed."""
    found = await realms.awaited(stack, REALM_SECONDS)
    missing = {"authorization_code", "password", "client_credentials"} - set(found.get("grant_types_supported", []))
    if missing:
        raise DoorFailed(
            f"identity at {stack.issuer} does not offer {', '.join(sorted(missing))}",
            next_step=NEXT,
        )
    page = await said_by("identity", stack.issuer, f"/protocol/openid-connect/auth?{urlencode(WORKBENCH)}")
    if page.status != 200:
        raise DoorFailed(
            f"identity at {stack.issuer} shows the workbench's people no login page: {page.status} {page.text[:200]}",
            next_step=NEXT,
        )
    return f"{stack.issuer}, with a login page"


async def person(stack: Stack) -> str:
    """Raises DoorFailed."""
    people = People(stack, away=0)
    asked = clock.now()
    try:
        someone = holders("clerk")[0]
        token = await people.token(someone)
    finally:
        await people.close()
    _right(someone, realms.claims(token), asked, stack, PERSON)
    for name, url, path in (("desk", stack.desk, "/worklist"), ("ERP", stack.erp, "/match-exceptions?limit=1")):
        said = await said_by(name, url, path, token=token)
        if said.status != 200:
            detail = said.document.get("detail") if isinstance(said.document, dict) else said.text[:200]
            raise DoorFailed(
                f"{name} does not take the token of {someone}: {detail}",
                next_step=f"compare {name}'s OIDC_ISSUER and OIDC_JWKS_URL with {stack.issuer}",
            )
    return f"{someone} signed in; desk and ERP take the token"


async def desk(stack: Stack) -> str:
    """Raises DoorFailed."""
    secret = stack.secrets.desk_client
    if secret is None:
        return "not asked: the stack does not tell the desk's secret"
    asked = clock.now()
    _right("desk", await realms.client_token(stack, "desk", secret), asked, stack, DESK)
    return "aud erp, and nothing else"


async def agent(stack: Stack) -> str:
    """Raises DoorFailed."""
    asked = clock.now()
    found = await realms.client_token(stack, "agent", stack.secrets.agent_client)
    _right("agent", found, asked, stack, AGENT)
    return "aud desk-agent, and nothing else"


def _right(who: str, claims: Mapping[str, Any], asked: datetime, stack: Stack, audiences: set[str]) -> None:
    given = claims.get("aud", [])
    held = {given} if isinstance(given, str) else set(given)
    if held != audiences:
        raise DoorFailed(
            f"wrong audience: the token of {who} is for {_listed(held)}, and should be for {_listed(audiences)}",
            next_step="compare the audience mappers of its client with infra/keycloak/realm.json",
        )
    if claims.get("iss") != stack.issuer:
        raise DoorFailed(
            f"issuer mismatch: the token of {who} says {claims.get('iss')}, and the stack says {stack.issuer}",
            next_step="one public issuer string everywhere",
        )
    ahead = clock_ahead(float(claims["iat"]), asked.timestamp(), clock.now().timestamp())
    if abs(ahead) > clocks.SKEW_SECONDS:
        raise DoorFailed(f"clock skew: {clocks.in_words('identity', ahead)}", next_step=clocks.NEXT)


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "nobody"
