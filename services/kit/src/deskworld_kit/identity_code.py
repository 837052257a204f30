"""Signing a person in and out with a browser: authorization code with PKCE (RFC 6749, 4.1; RFC 7636; OpenID Connect
Core 3.1), refresh (RFC 6749, 6), and RP-initiated logout (OpenID Connect RP-Initiated Logout 1.0)."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import httpx

from deskworld_kit import clock
from deskworld_kit.identity import TokenVerifier
from deskworld_kit.problems import Problem

ANSWER_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Provider:
    """`authorization` and `end_session` are for the person's browser; `token` is asked by the service itself, and may
    have another host name."""

    issuer: str
    authorization: str
    end_session: str
    token: str
    client_id: str


@dataclass(frozen=True, slots=True)
class Pending:
    """What the browser that began a sign-in must bring back, and what nobody else knows."""

    state: str
    nonce: str
    verifier: str


@dataclass(frozen=True, slots=True)
class Tokens:
    """`access_until`: seconds since the epoch."""

    access: str
    access_until: float
    refresh: str
    id_token: str


class SignInFailed(Exception):
    """What came back is not an answer to what was asked, or is a refusal; in words that a person may read."""


class SessionEnded(Exception):
    """The provider knows this session no more: signed out, timed out, or the account was closed."""


class ProviderUnavailable(Exception):
    """The provider did not answer, or answered nonsense: nobody's fault who is signing in."""


class CodeFlow:
    def __init__(self, provider: Provider, id_tokens: TokenVerifier, http: httpx.AsyncClient) -> None:
        """`id_tokens` verifies for the audience `provider.client_id`."""
        self._provider = provider
        self._id_tokens = id_tokens
        self._http = http

    def begin(self, redirect_uri: str) -> tuple[str, Pending]:
        """The address to send the browser to, and what to keep until it is back."""
        pending = Pending(secrets.token_urlsafe(24), secrets.token_urlsafe(24), secrets.token_urlsafe(48))
        digest = hashlib.sha256(pending.verifier.encode()).digest()
        asked = {
            "response_type": "code",
            "client_id": self._provider.client_id,
            "redirect_uri": redirect_uri,
            "scope": "openid",
            "state": pending.state,
            "nonce": pending.nonce,
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        return f"{self._provider.authorization}?{urlencode(asked)}", pending

    async def redeem(self, back: Mapping[str, str], pending: Pending, redirect_uri: str) -> Tokens:
        """`back`: the parameters that the browser brought. Raises SignInFailed, ProviderUnavailable."""
        self._check(back, pending)
        try:
            tokens = await self._ask(
                grant_type="authorization_code",
                code=back["code"],
                redirect_uri=redirect_uri,
                code_verifier=pending.verifier,
            )
        except SessionEnded as error:
            raise SignInFailed(f"the code was refused: {error}") from error
        await self._check_nonce(tokens.id_token, pending.nonce)
        return tokens

    async def refresh(self, tokens: Tokens) -> Tokens:
        """Raises SessionEnded, ProviderUnavailable."""
        return await self._ask(tokens, grant_type="refresh_token", refresh_token=tokens.refresh)

    def sign_out(self, id_token: str, back: str) -> str:
        """The address to send the browser to, which comes back to `back` when the provider's session has ended."""
        named = {"client_id": self._provider.client_id, "post_logout_redirect_uri": back}
        hint = {"id_token_hint": id_token} if id_token else {}
        return f"{self._provider.end_session}?{urlencode({**hint, **named})}"

    def _check(self, back: Mapping[str, str], pending: Pending) -> None:
        if not hmac.compare_digest(back.get("state", "").encode(), pending.state.encode()):
            raise SignInFailed("this answer belongs to another sign-in")
        if back.get("iss", self._provider.issuer) != self._provider.issuer:  # RFC 9207, 2.4
            raise SignInFailed("this answer comes from another issuer")
        if "error" in back:
            raise SignInFailed(back.get("error_description") or back["error"])
        if not back.get("code"):
            raise SignInFailed("the answer holds no code")

    async def _check_nonce(self, id_token: str, nonce: str) -> None:
        try:
            claims = await self._id_tokens.claims(id_token)
        except Problem as problem:
            if problem.status >= 500:
                raise ProviderUnavailable(problem.detail) from problem
            raise SignInFailed(f"the id token does not hold: {problem.detail}") from problem
        if not hmac.compare_digest(str(claims.get("nonce", "")).encode(), nonce.encode()):
            raise SignInFailed("the id token was made for another sign-in")

    async def _ask(self, before: Tokens | None = None, /, **form: str) -> Tokens:
        """Raises SessionEnded for a refused grant, ProviderUnavailable."""
        form["client_id"] = self._provider.client_id
        asked_at = clock.now().timestamp()
        try:
            answer = await self._http.post(self._provider.token, data=form, timeout=ANSWER_SECONDS)
            said = answer.json()
        except (httpx.HTTPError, ValueError) as error:
            raise ProviderUnavailable(f"{self._provider.token}: {type(error).__name__} {error}".rstrip()) from error
        if answer.status_code == httpx.codes.BAD_REQUEST and _error(said) == "invalid_grant":
            raise SessionEnded(said.get("error_description") or "invalid_grant")
        if answer.status_code != httpx.codes.OK:
            raise ProviderUnavailable(f"{self._provider.token} answered {answer.status_code} {_error(said)}".rstrip())
        try:
            return Tokens(
                access=str(said["access_token"]),
                access_until=asked_at + float(said["expires_in"]),
                refresh=str(said["refresh_token"]),
                id_token=str(said.get("id_token") or (before.id_token if before else "")),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ProviderUnavailable(f"{self._provider.token} answered without tokens: {error!r}") from error


def _error(said: Any) -> str:
    return str(said.get("error", "")) if isinstance(said, dict) else ""
