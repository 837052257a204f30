"""Who is calling: OIDC access tokens (RFC 9068 in spirit, Keycloak's claims) become a Principal."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
import jwt
from fastapi import Request

from deskworld_kit import clock
from deskworld_kit.problems import Problem

PEOPLE = frozenset({"buyer", "clerk", "ap-manager", "controller", "auditor"})
REFRESH_BEFORE_SECONDS = 60
REFETCH_KEYS_SECONDS = 5
REMEMBERED_TOKENS = 512
"""A signed token says the same until it expires: its signature is checked once."""


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
    """Checks signature (RS256), issuer, audience and expiry; keys by JWKS, fetched again once for an unknown key id."""

    def __init__(self, *, issuer: str, jwks_url: str, audience: str, http: httpx.AsyncClient) -> None:
        self._issuer = issuer
        self._jwks_url = jwks_url
        self._audience = audience
        self._http = http
        self._keys: dict[str, jwt.PyJWK] = {}
        self._fetched_at = float("-inf")
        self._fetching = asyncio.Lock()
        self._verified: dict[str, Principal] = {}

    async def verify(self, token: str) -> Principal:
        """Raises Problem 401 when the token does not hold here, 503 when the keys cannot be had."""
        known = self._verified.get(token)
        if known is not None and clock.now().timestamp() < known.expires_at:
            return known
        verified = await self._check(token)
        if len(self._verified) >= REMEMBERED_TOKENS:
            self._verified.clear()
        self._verified[token] = verified
        return verified

    async def _check(self, token: str) -> Principal:
        try:
            header = jwt.get_unverified_header(token)
            if header.get("alg") != "RS256":
                raise _unauthenticated(f"algorithm {header.get('alg')!r} is not accepted; RS256 is")
            key = await self._key(str(header.get("kid", "")))
            claims = jwt.decode(
                token,
                key,
                algorithms=["RS256"],
                issuer=self._issuer,
                audience=self._audience,
                options={"require": ["exp", "iat", "sub", "iss", "aud"]},
                leeway=5,
            )
        except jwt.InvalidTokenError as error:
            raise _unauthenticated(f"{error}") from error
        return _principal(claims)

    async def _key(self, kid: str) -> jwt.PyJWK:
        if kid not in self._keys:
            async with self._fetching:
                if kid not in self._keys and clock.monotonic() - self._fetched_at > REFETCH_KEYS_SECONDS:
                    await self._fetch()
        if kid not in self._keys:
            raise _unauthenticated(f"key id {kid!r} is not one of the issuer's")
        return self._keys[kid]

    async def _fetch(self) -> None:
        try:
            answer = await self._http.get(self._jwks_url)
            answer.raise_for_status()
            found = jwt.PyJWKSet.from_dict(answer.json())
        except (httpx.HTTPError, jwt.PyJWTError, ValueError) as error:
            raise Problem(
                503, "UNAVAILABLE", f"the issuer's keys cannot be had from {self._jwks_url}: {error}"
            ) from error
        self._keys = {key.key_id: key for key in found.keys if key.key_id and key.public_key_use in (None, "sig")}
        self._fetched_at = clock.monotonic()


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
