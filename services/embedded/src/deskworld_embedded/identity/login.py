"""The authorization endpoint and its login page (RFC 6749, 4.1; OpenID Connect Core, 3.1.2)."""

import re
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from urllib.parse import urlencode, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from deskworld_embedded.identity import pages
from deskworld_embedded.identity.forms import fields, form, same
from deskworld_embedded.identity.grants import check_password
from deskworld_embedded.identity.realm import Client, User
from deskworld_embedded.identity.redirects import allowed
from deskworld_embedded.identity.refusals import Back, PageRefused, RedirectRefused
from deskworld_embedded.identity.sessions import Code, Session
from deskworld_embedded.identity.tokens import Issuer, TokenBroken, make_own, read_own

CHALLENGE = re.compile(r"[A-Za-z0-9\-._~]{43,128}")
BROWSER, SIGNED_IN = "AUTH_SESSION_ID", "KEYCLOAK_IDENTITY"


@dataclass(frozen=True, slots=True)
class Wanted:
    """An authorization request that has been checked."""

    client_id: str
    redirect_uri: str
    state: str | None
    scope: str
    nonce: str
    challenge: str

    @property
    def back(self) -> Back:
        return Back(self.redirect_uri, self.state)


async def authorize(issuer: Issuer, request: Request) -> Response:
    """Raises PageRefused, RedirectRefused, Refused."""
    sent = await form(request) if request.method == "POST" else fields(request.url.query)
    wanted = _checked(issuer, sent)
    prompt = sent.get("prompt", "").split()
    session = signed_in(issuer, request)
    if session is not None and "login" not in prompt:
        return _redirect_with_code(issuer, wanted, session, fresh=False)
    if "none" in prompt:
        raise RedirectRefused(wanted.back, "login_required", "Nobody is signed in")
    browser = request.cookies.get(BROWSER) or secrets.token_urlsafe(24)
    page = pages.login(title=issuer.realm.title, action=_action(issuer, wanted, browser))
    set_cookie(issuer, page, BROWSER, browser)
    return page


async def authenticate(issuer: Issuer, request: Request) -> Response:
    """The login form. Raises PageRefused, Refused."""
    sent = await form(request)
    browser = request.cookies.get(BROWSER, "")
    try:
        pending = read_own(issuer, fields(request.url.query).get("session_code", ""), "Login")
    except TokenBroken as error:
        raise PageRefused("The sign-in took too long or did not start here. Go back and start again.") from error
    if not browser or not same(pending["browser"], browser):
        raise PageRefused("This browser did not start the sign-in. Cookies are needed; go back and start again.")
    wanted = Wanted(**pending["wanted"])
    username = sent.get("username", "").strip()
    user = check_password(issuer, username, sent.get("password", ""))
    if user is None or not user.enabled:
        message = (
            "Invalid username or password." if user is None else "Account is disabled, contact your administrator."
        )
        action = _action(issuer, wanted, browser)
        return pages.login(title=issuer.realm.title, action=action, username=username, message=message)
    return _signed_in_now(issuer, request, wanted, user)


def signed_in(issuer: Issuer, request: Request) -> Session | None:
    """Whom this browser's cookie says, if that session still stands."""
    try:
        claims = read_own(issuer, request.cookies.get(SIGNED_IN, ""), "Serialized-ID")
    except TokenBroken:
        return None
    session = issuer.sessions.find(claims["sid"])
    user = issuer.realm.user(session.user_id) if session is not None else None
    return session if user is not None and user.enabled else None


def set_cookie(issuer: Issuer, response: Response, name: str, value: str) -> None:
    """For this browser session only, and for no script."""
    parts = urlsplit(issuer.url)
    response.set_cookie(
        name, value, path=f"{parts.path}/", httponly=True, samesite="lax", secure=parts.scheme == "https"
    )


def drop_cookie(issuer: Issuer, response: Response, name: str) -> None:
    response.delete_cookie(name, path=f"{urlsplit(issuer.url).path}/", httponly=True, samesite="lax")


def with_query(uri: str, **parameters: str | None) -> str:
    sent = {name: value for name, value in parameters.items() if value is not None}
    if not sent:
        return uri
    return f"{uri}{'&' if '?' in uri else '?'}{urlencode(sent)}"


def _signed_in_now(issuer: Issuer, request: Request, wanted: Wanted, user: User) -> Response:
    before = signed_in(issuer, request)
    if before is not None:
        issuer.sessions.end(before.id)
    session = issuer.sessions.open(user.id, by_page=True)
    response = _redirect_with_code(issuer, wanted, session, fresh=True)
    identity = make_own(issuer, "Serialized-ID", issuer.realm.session_lifespan, sub=user.id, sid=session.id)
    set_cookie(issuer, response, SIGNED_IN, identity)
    return response


def _redirect_with_code(issuer: Issuer, wanted: Wanted, session: Session, *, fresh: bool) -> Response:
    code = issuer.sessions.issue(
        Code(
            id="",
            session_id=session.id,
            client_id=wanted.client_id,
            redirect_uri=wanted.redirect_uri,
            scope=wanted.scope,
            nonce=wanted.nonce,
            challenge=wanted.challenge,
            fresh=fresh,
            until=issuer.now() + issuer.realm.code_lifespan,
        )
    )
    uri = with_query(wanted.redirect_uri, state=wanted.state, session_state=session.id, iss=issuer.url, code=code.id)
    return RedirectResponse(
        uri, status_code=302, headers={"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
    )


def _checked(issuer: Issuer, sent: Mapping[str, str]) -> Wanted:
    """Until the address to go back to is known for good, a refusal is a page (RFC 6749, 4.1.2.1)."""
    if not sent.get("client_id"):
        raise PageRefused("Missing parameters: client_id")
    client = issuer.realm.clients.get(sent["client_id"])
    if client is None or not client.enabled:
        raise PageRefused("Client not found.")
    if not allowed(sent.get("redirect_uri", ""), client.redirect_uris):
        raise PageRefused("Invalid parameter: redirect_uri")
    back = Back(sent["redirect_uri"], sent.get("state"))
    _check_flow(client, back, sent)
    _check_challenge(client, back, sent)
    scope = sent.get("scope", "")
    known = {"openid", *client.default_scopes, *client.optional_scopes}
    if not set(scope.split()) <= known:
        raise RedirectRefused(back, "invalid_scope", f"Invalid scopes: {scope}")
    return Wanted(client.id, back.uri, back.state, scope, sent.get("nonce", ""), sent.get("code_challenge", ""))


def _check_flow(client: Client, back: Back, sent: Mapping[str, str]) -> None:
    if not sent.get("response_type"):
        raise RedirectRefused(back, "invalid_request", "Missing parameter: response_type")
    if sent["response_type"] != "code":
        raise RedirectRefused(back, "unsupported_response_type", "Only the code flow is offered")
    if not client.standard_flow:
        raise RedirectRefused(back, "unauthorized_client", "Standard flow is disabled for the client.")
    if sent.get("response_mode", "query") != "query":
        raise RedirectRefused(back, "invalid_request", "Invalid parameter: response_mode")


def _check_challenge(client: Client, back: Back, sent: Mapping[str, str]) -> None:
    """RFC 7636. A client that the realm ties to one method gets no other, and never none."""
    method, challenge = sent.get("code_challenge_method", ""), sent.get("code_challenge", "")
    if client.pkce_method and not method:
        raise RedirectRefused(back, "invalid_request", "Missing parameter: code_challenge_method")
    if method and method != (client.pkce_method or "S256"):
        raise RedirectRefused(
            back, "invalid_request", "Invalid parameter: code challenge method is not matching the configured one"
        )
    if method and not challenge:
        raise RedirectRefused(back, "invalid_request", "Missing parameter: code_challenge")
    if challenge and (not method or not CHALLENGE.fullmatch(challenge)):
        raise RedirectRefused(back, "invalid_request", "Invalid parameter: code_challenge")


def _action(issuer: Issuer, wanted: Wanted, browser: str) -> str:
    pending = make_own(issuer, "Login", issuer.realm.login_lifespan, wanted=asdict(wanted), browser=browser)
    return with_query(f"{issuer.url}/login-actions/authenticate", session_code=pending, client_id=wanted.client_id)
