"""Who is calling: OIDC access tokens (RFC 9068 in spirit, Keycloak's claims) become a Principal."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
import jwt
from fastapi import Request

from deskworld_kit import clock
from deskworld_kit.identity_keys import IssuerKeys, KeysUnavailable, KeyUnknown
from deskworld_kit.problems import Problem

PEOPLE = frozenset({"buyer", "clerk", "ap-manager", "controller", "auditor"})
REFRESH_BEFORE_SECONDS = 60
REMEMBERED_TOKENS = 512
"""A signed token says the same until it expires or its key goes: its signature is checked once a fetch."""


@dataclass(frozen=True, slots=True)
class Principal:
    """A verified caller. A person has at least one of the realm's roles; all else is a service account."""

    subject: str
    username: str
    client: str
    roles: frozenset[str] = field(default_factory=frozenset)
    expires_at: float = 0.0

    @property
    def is_person(self) -> bool:
        return bool(self.roles & PEOPLE)


class TokenVerifier:
    """Checks signature (RS256), issuer, audience and expiry. How long a withdrawn key counts, `IssuerKeys` says."""

    def __init__(self, *, issuer: str, audience: str, keys: IssuerKeys) -> None:
        self._issuer = issuer
        self._audience = audience
        self._keys = keys
        self._verified: dict[str, tuple[str, jwt.PyJWK, Principal]] = {}

    async def verify(self, token: str) -> Principal:
        """Raises Problem 401 when the token does not hold here, 503 when the keys cannot be had."""
        if (held := self._verified.get(token)) is not None:
            kid, key, principal = held
            if clock.now().timestamp() < principal.expires_at and await self._key(kid) is key:
                return principal
            self._verified.pop(token, None)
        kid, key, claims = await self._check(token)
        if len(self._verified) >= REMEMBERED_TOKENS:
            self._verified.clear()
        verified = _principal(claims)
        self._verified[token] = (kid, key, verified)
        return verified

    async def claims(self, token: str) -> dict[str, Any]:
        """All that a token says which holds here. Raises as `verify` does."""
        return (await self._check(token))[2]

    async def _check(self, token: str) -> tuple[str, jwt.PyJWK, dict[str, Any]]:
        try:
            header = jwt.get_unverified_header(token)
            if header.get("alg") != "RS256":
                raise _unauthenticated(f"algorithm {header.get('alg')!r} is not accepted; RS256 is")
            if not isinstance(kid := header.get("kid"), str):
                raise _unauthenticated("the token names no key")
            # what would be refused by any key makes nobody ask the issuer for keys
            self._decode(token, None)
            key = await self._key(kid)
            return kid, key, self._decode(token, key)
        except jwt.InvalidTokenError as error:
            raise _unauthenticated(f"{error}") from error

    def _decode(self, token: str, key: jwt.PyJWK | None) -> dict[str, Any]:
        """Without a key everything but the signature is checked."""
        claims: dict[str, Any] = jwt.decode(
            token,
            key or "",
            algorithms=["RS256"],
            issuer=self._issuer,
            audience=self._audience,
            options={
                "require": ["exp", "iat", "sub", "iss", "aud"],
                "verify_signature": key is not None,
                # each is off by default when the signature is not checked
                "verify_exp": True,
                "verify_nbf": True,
                "verify_iat": True,
                "verify_aud": True,
                "verify_iss": True,
                "verify_sub": True,
            },
            leeway=5,
        )
        return claims

    async def _key(self, kid: str) -> jwt.PyJWK:
        try:
            return await self._keys.find(kid)
        except KeyUnknown as error:
            raise _unauthenticated(f"key id {kid!r} is not one of the issuer's") from error
        except KeysUnavailable as error:
            raise Problem(503, "UNAVAILABLE", str(error)) from error


def bearer(request: Request) -> str:
    """The bearer token of a request (RFC 6750). Raises Problem 401."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise _unauthenticated("send Authorization: Bearer <token>")
    return token


def principal(verifier: TokenVerifier) -> Callable[[Request], Awaitable[Principal]]:
    """A FastAPI dependency: the verified caller of this request."""

    async def verified(request: Request) -> Principal:
        return await verifier.verify(bearer(request))

    return verified


class ServiceAccount:
    """Client credentials (RFC 6749, 4.4), cached, fetched again 60 s before they end."""

    def __init__(self, *, token_url: str, client_id: str, secret: str, http: httpx.AsyncClient) -> None:
        self._token_url = token_url
        self._form = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": secret}
        self._http = http
        self._token = ""
        self._until = float("-inf")
        self._fetching = asyncio.Lock()

    async def token(self) -> str:
        """Raises httpx.HTTPError when the issuer does not give one."""
        if clock.monotonic() >= self._until:
            async with self._fetching:
                if clock.monotonic() >= self._until:
                    await self._fetch()
        return self._token

    def forget(self, token: str) -> None:
        """A door refused this token: the next one is fetched anew, for its key may have been withdrawn."""
        if token == self._token:
            self._until = float("-inf")

    async def _fetch(self) -> None:
        answer = await self._http.post(self._token_url, data=self._form)
        answer.raise_for_status()
        body = answer.json()
        self._token = body["access_token"]
        self._until = clock.monotonic() + max(0, body["expires_in"] - REFRESH_BEFORE_SECONDS)


def _principal(claims: dict[str, Any]) -> Principal:
    access = claims.get("realm_access")
    roles = access.get("roles", []) if isinstance(access, dict) else []
    return Principal(
        subject=str(claims["sub"]),
        username=str(claims.get("preferred_username", claims["sub"])),
        client=str(claims.get("azp", "")),
        roles=frozenset(role for role in roles if isinstance(role, str)),
        expires_at=float(claims["exp"]),
    )


def _unauthenticated(why: str) -> Problem:
    return Problem(401, "UNAUTHENTICATED", why, headers={"WWW-Authenticate": 'Bearer realm="deskworld"'})
