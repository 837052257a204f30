"""RP-initiated logout (OpenID Connect), and Keycloak's logout by refresh token."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from deskworld_embedded.identity import pages
from deskworld_embedded.identity.forms import client_of, fields, form
from deskworld_embedded.identity.login import SIGNED_IN, drop_cookie, signed_in, with_query
from deskworld_embedded.identity.realm import Client
from deskworld_embedded.identity.redirects import allowed
from deskworld_embedded.identity.refusals import PageRefused, invalid_grant
from deskworld_embedded.identity.tokens import Issuer, TokenBroken, make_own, read_id_hint, read_own


async def logout(issuer: Issuer, request: Request) -> Response:
    """Raises PageRefused, Refused."""
    if request.method == "POST":
        sent = await form(request)
        if "refresh_token" in sent:
            return _by_refresh_token(issuer, request, sent)
    else:
        sent = fields(request.url.query)
    return _by_browser(issuer, request, sent)


async def confirmed(issuer: Issuer, request: Request) -> Response:
    """The person said yes on our page. Raises PageRefused, Refused."""
    sent = await form(request)
    try:
        pending = read_own(issuer, sent.get("session_code", ""), "Logout")
    except TokenBroken as error:
        raise PageRefused("The sign-out took too long. Go back and start again.") from error
    return _ended(issuer, pending["sid"], pending["back"], pending["state"])


def _by_refresh_token(issuer: Issuer, request: Request, sent: Mapping[str, str]) -> Response:
    client = client_of(issuer.realm, request, sent)
    try:
        claims = read_own(issuer, sent["refresh_token"], "Refresh")
    except TokenBroken as error:
        raise invalid_grant("Invalid refresh token") from error
    if claims["azp"] != client.id:
        raise invalid_grant("Invalid refresh token. Token client and authorized client don't match")
    issuer.sessions.end(claims["sid"])
    return Response(status_code=204)


def _by_browser(issuer: Issuer, request: Request, sent: Mapping[str, str]) -> Response:
    hint = _hint(issuer, sent.get("id_token_hint", ""))
    client = _client(issuer, hint, sent)
    back = sent.get("post_logout_redirect_uri")
    if back is not None and (client is None or not allowed(back, client.post_logout_redirect_uris)):
        raise PageRefused("Invalid redirect uri" if client else "Missing parameters: id_token_hint")
    state = sent.get("state")
    session = signed_in(issuer, request)
    if hint is not None and (session is None or session.id == hint.get("sid")):
        return _ended(issuer, str(hint.get("sid", "")), back, state)
    if session is None:
        return _ended(issuer, "", back, state)
    code = make_own(issuer, "Logout", issuer.realm.login_lifespan, sid=session.id, back=back, state=state)
    action = f"{issuer.url}/protocol/openid-connect/logout/logout-confirm"
    return pages.confirm_logout(title=issuer.realm.title, action=action, code=code)


def _hint(issuer: Issuer, token: str) -> dict[str, Any] | None:
    if not token:
        return None
    try:
        return read_id_hint(issuer, token)
    except TokenBroken as error:
        raise PageRefused("Invalid parameter: id_token_hint") from error


def _client(issuer: Issuer, hint: Mapping[str, Any] | None, sent: Mapping[str, str]) -> Client | None:
    named = sent.get("client_id")
    if hint is not None:
        if named is not None and named != hint["azp"]:
            raise PageRefused("Invalid parameter: client_id")
        named = str(hint["azp"])
    return issuer.realm.clients.get(named) if named is not None else None


def _ended(issuer: Issuer, session_id: str, back: str | None, state: str | None) -> Response:
    issuer.sessions.end(session_id)
    response: Response
    if back is not None:
        response = RedirectResponse(with_query(back, state=state), status_code=302)
    else:
        response = pages.note(title="Signed out", message="You are signed out.")
    drop_cookie(issuer, response, SIGNED_IN)
    return response
