"""Who is signed in. A browser keeps a sealed cookie; the desk keeps access tokens in memory, and stores none.

The cookie holds what is needed to get an access token again (the refresh token), so that a restart signs nobody out,
and to sign out at the issuer (the id token). See docs/decisions/0011.
"""

import asyncio
import hashlib
import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from deskworld_desk.workbench.pages.asked import SignInNeeded
from deskworld_kit import clock
from deskworld_kit.identity import Principal, TokenVerifier
from deskworld_kit.identity_code import CodeFlow, Pending, ProviderUnavailable, SessionEnded, SignInFailed, Tokens
from deskworld_kit.identity_seal import Seal
from deskworld_kit.problems import Problem

BASE = "/workbench"
SESSION_SECONDS = 36_000
"""A working day, however busy: as the realm's sessions. An idle one ends with the realm's idle time."""
SIGN_IN_SECONDS = 600
REFRESH_BEFORE_SECONDS = 60
REMEMBERED = 2_000
LARGEST_COOKIE = 3_800
"""A browser keeps 4,096 octets, name and attributes among them (RFC 6265, 6.1), and forgets a longer one silently."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody signed in, in one request. `cookie` is to be set anew when it is not None."""

    id: str
    who: Principal
    token: str
    csrf: str
    id_token: str
    cookie: str | None = None


@dataclass(slots=True)
class _Held:
    tokens: Tokens
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Sessions:
    def __init__(self, flow: CodeFlow, verifier: TokenVerifier, *, secret: str, issuer: str, public_url: str) -> None:
        self._flow = flow
        self._verifier = verifier
        self._session_seal = Seal(secret, "workbench session")
        self._sign_in_seal = Seal(secret, "workbench sign-in")
        # a browser sends a host's cookies to every port of it: two stacks of one machine must not take each other's
        self._name = "workbench-" + hashlib.sha256(issuer.encode()).hexdigest()[:8]
        self._secure = public_url.startswith("https:")
        self._redirect_uri = f"{public_url}{BASE}/callback"
        self._signed_out_uri = f"{public_url}{BASE}/signed-out"
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._ended: OrderedDict[str, None] = OrderedDict()

    # -- signing in and out

    def begin(self, response_to: str) -> tuple[str, str, str]:
        """`response_to`: the page to come back to. The issuer's address, and name and value of the cookie to set."""
        address, pending = self._flow.begin(self._redirect_uri)
        kept = {"state": pending.state, "nonce": pending.nonce, "verifier": pending.verifier, "next": response_to}
        return address, self._pending_name(pending.state), self._sign_in_seal.close(kept)

    async def finish(self, request: Request) -> tuple[str, str, str]:
        """The page to go to, the name of the cookie that has done its duty, and the session's cookie.

        Raises SignInFailed, ProviderUnavailable.
        """
        back = dict(request.query_params)
        name = self._pending_name(back.get("state", ""))
        kept = self._sign_in_seal.open(request.cookies.get(name, ""), lasts=SIGN_IN_SECONDS)
        if kept is None:
            raise SignInFailed("this browser did not begin this sign-in, or began it too long ago")
        pending = Pending(kept["state"], kept["nonce"], kept["verifier"])
        tokens = await self._flow.redeem(back, pending, self._redirect_uri)
        session_id = secrets.token_urlsafe(24)
        self._remember(session_id, _Held(tokens))
        cookie = self._cookie(session_id, secrets.token_urlsafe(24), int(clock.now().timestamp()), tokens)
        return str(kept["next"]), name, cookie

    def end(self, visitor: Visitor) -> str:
        """This session is over here; the address at which it ends at the issuer too."""
        self._held.pop(visitor.id, None)
        self._ended[visitor.id] = None
        if len(self._ended) > REMEMBERED:
            self._ended.popitem(last=False)
        return self._flow.sign_out(visitor.id_token, self._signed_out_uri)

    # -- each request

    async def visitor(self, request: Request) -> Visitor:
        """Raises SignInNeeded, and Problem 503 while the issuer cannot be asked."""
        kept = self._session_seal.open(request.cookies.get(self._name, ""), lasts=SESSION_SECONDS)
        if kept is None or kept["id"] in self._ended:
            raise SignInNeeded(ended=self._name in request.cookies)
        if clock.now().timestamp() >= kept["began"] + SESSION_SECONDS:
            raise SignInNeeded(ended=True)
        session_id = str(kept["id"])
        held = self._held.get(session_id) or _Held(Tokens("", 0.0, str(kept["refresh"]), str(kept["id_token"])))
        self._remember(session_id, held)
        try:
            who = await self._verified(held)
        except SessionEnded as error:
            self._held.pop(session_id, None)
            raise SignInNeeded(ended=True) from error
        except ProviderUnavailable as error:
            raise Problem(503, "UNAVAILABLE", f"the identity provider cannot be asked who you are: {error}") from error
        tokens = held.tokens
        # a refresh token may be good for one use: the browser must learn of the next one
        new = tokens.refresh != kept["refresh"]
        cookie = self._cookie(session_id, kept["csrf"], kept["began"], tokens) if new else None
        return Visitor(session_id, who, tokens.access, str(kept["csrf"]), tokens.id_token, cookie)

    async def _verified(self, held: _Held) -> Principal:
        """One refresh at a time, and another one when the key of the access token was withdrawn meanwhile."""
        async with held.lock:
            if clock.now().timestamp() >= held.tokens.access_until - REFRESH_BEFORE_SECONDS:
                held.tokens = await self._flow.refresh(held.tokens)
            try:
                return await self._verifier.verify(held.tokens.access)
            except Problem as problem:
                if problem.status != 401:
                    raise
            held.tokens = await self._flow.refresh(held.tokens)
            try:
                return await self._verifier.verify(held.tokens.access)
            except Problem as problem:
                if problem.status != 401:
                    raise
                raise SessionEnded(problem.detail) from problem

    def set_session(self, response: Response, cookie: str) -> None:
        self._set(response, self._name, cookie, f"{BASE}", None)

    def drop_session(self, response: Response) -> None:
        self._drop(response, self._name, f"{BASE}")

    def set_pending(self, response: Response, name: str, value: str) -> None:
        self._set(response, name, value, f"{BASE}/callback", SIGN_IN_SECONDS)

    def drop_pending(self, response: Response, name: str) -> None:
        self._drop(response, name, f"{BASE}/callback")

    def _set(self, response: Response, name: str, value: str, path: str, seconds: int | None) -> None:
        """For no script; lax, because the way back from the issuer is a navigation from another site."""
        response.set_cookie(name, value, path=path, max_age=seconds, httponly=True, samesite="lax", secure=self._secure)

    def _drop(self, response: Response, name: str, path: str) -> None:
        response.delete_cookie(name, path=path, httponly=True, samesite="lax", secure=self._secure)

    def _pending_name(self, state: str) -> str:
        """One a sign-in, so that several tabs can sign in at the same time."""
        return f"{self._name}-{hashlib.sha256(state.encode()).hexdigest()[:12]}"

    def _cookie(self, session_id: str, csrf: str, began: int, tokens: Tokens) -> str:
        kept: dict[str, Any] = {"id": session_id, "csrf": csrf, "began": began, "refresh": tokens.refresh}
        cookie = self._session_seal.close({**kept, "id_token": tokens.id_token})
        # without the id token the issuer asks before it signs out: better than a cookie that no browser keeps
        return cookie if len(cookie) <= LARGEST_COOKIE else self._session_seal.close({**kept, "id_token": ""})

    def _remember(self, session_id: str, held: _Held) -> None:
        self._held[session_id] = held
        self._held.move_to_end(session_id)
        if len(self._held) > REMEMBERED:
            self._held.popitem(last=False)
