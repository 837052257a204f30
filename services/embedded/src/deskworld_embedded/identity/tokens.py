"""Tokens: made with Keycloak's claims, read back strictly."""

import base64
import hashlib
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jwt

from deskworld_embedded.identity.claims import Grounds, granted_scopes, mapped, scope_claim
from deskworld_embedded.identity.keys import KeyRing, Keys
from deskworld_embedded.identity.realm import Client, Realm, User
from deskworld_embedded.identity.sessions import Session, Sessions


class TokenBroken(ValueError):
    """A token that this issuer did not make, or that has ended."""


@dataclass(frozen=True, slots=True)
class Issuer:
    """All that the endpoints share. `now` gives seconds since the epoch."""

    url: str
    realm: Realm
    ring: KeyRing
    sessions: Sessions
    now: Callable[[], int]

    @property
    def keys(self) -> Keys:
        return self.ring.keys


@dataclass(frozen=True, slots=True)
class Asked:
    """What a token answer is made for."""

    client: Client
    user: User
    session: Session | None
    scope: str
    nonce: str = ""
    fresh: bool = True


def answer(issuer: Issuer, asked: Asked) -> dict[str, Any]:
    """The body of a token response (RFC 6749, 5.1). Raises ScopeUnknown."""
    scopes = granted_scopes(issuer.realm, asked.client, asked.scope)
    session = asked.session
    auth_time = session.started if session is not None and session.by_page else None
    grounds = Grounds(issuer.realm, asked.client, asked.user, scopes, auth_time, asked.fresh)
    lifespan = issuer.realm.access_token_lifespan
    if session is not None:
        lifespan = min(lifespan, issuer.sessions.seconds_left(session))
    access = _access(issuer, asked, grounds, lifespan)
    body: dict[str, Any] = {
        "access_token": access,
        "expires_in": lifespan,
        "refresh_expires_in": 0,
        "token_type": "Bearer",
        "not-before-policy": 0,
        "scope": scope_claim(issuer.realm, scopes),
    }
    if session is not None:
        body["refresh_token"] = _refresh(issuer, asked, session)
        body["refresh_expires_in"] = issuer.sessions.seconds_left(session)
        body["session_state"] = session.id
    if "openid" in scopes:
        body["id_token"] = _id_token(issuer, asked, grounds, access, lifespan)
    return body


def read_access(issuer: Issuer, token: str) -> dict[str, Any]:
    """Raises TokenBroken."""
    claims = _read(issuer, token)
    if claims.get("typ") != "Bearer":
        raise TokenBroken("not an access token")
    return claims


def read_id_hint(issuer: Issuer, token: str) -> dict[str, Any]:
    """An id token, also one that has expired (OpenID Connect RP-Initiated Logout, 2). Raises TokenBroken."""
    claims = _read(issuer, token, also_expired=True)
    if claims.get("typ") != "ID":
        raise TokenBroken("not an id token")
    return claims


def read_own(issuer: Issuer, token: str, typ: str) -> dict[str, Any]:
    """A token of kind `typ` that only we read. Raises TokenBroken."""
    try:
        claims: dict[str, Any] = jwt.decode(
            token,
            issuer.keys.own,
            algorithms=["HS512"],
            issuer=issuer.url,
            audience=issuer.url,
            options={"require": ["exp", "iss", "aud", "typ"], "verify_exp": False, "verify_iat": False},
        )
    except jwt.InvalidTokenError as error:
        raise TokenBroken(str(error)) from error
    if claims["typ"] != typ:
        raise TokenBroken(f"not a {typ} token")
    if claims["exp"] <= issuer.now():
        raise TokenBroken("the token has expired")
    return claims


def make_own(issuer: Issuer, typ: str, lifespan: int, **claims: Any) -> str:
    now = issuer.now()
    own = {
        "iss": issuer.url,
        "aud": issuer.url,
        "iat": now,
        "exp": now + lifespan,
        "typ": typ,
        "jti": str(uuid.uuid4()),
    }
    return jwt.encode({**claims, **own}, issuer.keys.own, algorithm="HS512")


def _access(issuer: Issuer, asked: Asked, grounds: Grounds, lifespan: int) -> str:
    now = issuer.now()
    claims: dict[str, Any] = {
        "exp": now + lifespan,
        "iat": now,
        "jti": str(uuid.uuid4()),
        "iss": issuer.url,
        "typ": "Bearer",
        "azp": asked.client.id,
    }
    if asked.session is not None:
        claims["sid"] = asked.session.id
    else:
        claims["client_id"] = asked.client.id
    claims |= mapped(grounds, "access")
    claims["scope"] = scope_claim(issuer.realm, grounds.scopes)
    return _signed(issuer, claims)


def _id_token(issuer: Issuer, asked: Asked, grounds: Grounds, access: str, lifespan: int) -> str:
    now = issuer.now()
    half = hashlib.sha256(access.encode()).digest()[:16]
    claims: dict[str, Any] = {
        "exp": now + lifespan,
        "iat": now,
        "jti": str(uuid.uuid4()),
        "iss": issuer.url,
        "typ": "ID",
        "azp": asked.client.id,
        "at_hash": base64.urlsafe_b64encode(half).rstrip(b"=").decode(),
    }
    if asked.session is not None:
        claims["sid"] = asked.session.id
    if asked.nonce:
        claims["nonce"] = asked.nonce
    return _signed(issuer, {**claims, **mapped(grounds, "id"), "sub": asked.user.id, "aud": asked.client.id})


def _refresh(issuer: Issuer, asked: Asked, session: Session) -> str:
    return make_own(
        issuer,
        "Refresh",
        issuer.sessions.seconds_left(session),
        sub=asked.user.id,
        azp=asked.client.id,
        sid=session.id,
        scope=asked.scope,
        nonce=asked.nonce,
    )


def _signed(issuer: Issuer, claims: dict[str, Any]) -> str:
    return jwt.encode(claims, issuer.keys.signing, algorithm="RS256", headers={"kid": issuer.keys.kid})


def _read(issuer: Issuer, token: str, *, also_expired: bool = False) -> dict[str, Any]:
    try:
        key = issuer.keys.verifying.get(str(jwt.get_unverified_header(token).get("kid")))
        if key is None:
            raise TokenBroken("signed by no key of this issuer")
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=["RS256"],
            issuer=issuer.url,
            options={"require": ["exp", "iat", "iss", "typ"], "verify_exp": False, "verify_aud": False},
        )
    except jwt.InvalidTokenError as error:
        raise TokenBroken(str(error)) from error
    if not also_expired and claims["exp"] <= issuer.now():
        raise TokenBroken("the token has expired")
    return claims
