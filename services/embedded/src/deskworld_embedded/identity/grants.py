"""The token endpoint's grants (RFC 6749: 4.1.3, 4.3, 4.4, 6). Each gives a token answer or raises Refused."""

import base64
import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any

from deskworld_embedded.identity.claims import ScopeUnknown
from deskworld_embedded.identity.forms import same
from deskworld_embedded.identity.realm import Client, User
from deskworld_embedded.identity.refusals import Refused, invalid_grant, invalid_request
from deskworld_embedded.identity.sessions import Code
from deskworld_embedded.identity.tokens import Asked, Issuer, TokenBroken, answer, read_own

VERIFIER = re.compile(r"[A-Za-z0-9\-._~]{43,128}")  # RFC 7636, 4.1

Form = Mapping[str, str]


def grant(issuer: Issuer, client: Client, sent: Form) -> dict[str, Any]:
    """Raises Refused."""
    kind = sent.get("grant_type")
    if not kind:
        raise invalid_request("Missing form parameter: grant_type")
    by = GRANTS.get(kind)
    if by is None:
        raise Refused(400, "unsupported_grant_type", "Unsupported grant_type")
    try:
        return answer(issuer, by(issuer, client, sent))
    except ScopeUnknown as error:
        raise Refused(400, "invalid_scope", f"Invalid scopes: {error}") from error


def check_password(issuer: Issuer, username: str, password: str) -> User | None:
    """Takes as long for a stranger as for a user. Service accounts have no password."""
    user = issuer.realm.users.get(username.lower())
    matches = same(password, user.password if user is not None and user.password else "\0")
    return user if user is not None and user.password and matches else None


def _password(issuer: Issuer, client: Client, sent: Form) -> Asked:
    if not client.direct_grants:
        raise Refused(400, "unauthorized_client", "Client not allowed for direct access grants")
    if "username" not in sent:
        raise Refused(401, "invalid_request", "Missing parameter: username")
    user = check_password(issuer, sent["username"], sent.get("password", ""))
    if user is None:
        raise invalid_grant("Invalid user credentials")
    if not user.enabled:
        raise invalid_grant("Account disabled")
    _check_scope(issuer, client, sent)
    return Asked(client, user, issuer.sessions.open(user.id, by_page=False), sent.get("scope", ""))


def _client_credentials(issuer: Issuer, client: Client, sent: Form) -> Asked:
    if client.public:
        raise Refused(401, "unauthorized_client", "Public client not allowed to retrieve service account")
    account = issuer.realm.account_of(client)
    if not client.service_account or account is None:
        raise Refused(401, "unauthorized_client", "Client not enabled to retrieve service account")
    return Asked(client, account, None, sent.get("scope", ""))


def _authorization_code(issuer: Issuer, client: Client, sent: Form) -> Asked:
    if not client.standard_flow:
        raise Refused(400, "unauthorized_client", "Client not allowed to exchange code")
    if not sent.get("code"):
        raise invalid_request("Missing parameter: code")
    code = issuer.sessions.code(sent["code"])
    if code is None:
        raise invalid_grant("Code not valid")
    if code.spent:
        issuer.sessions.end(code.session_id)  # somebody redeemed it twice: neither may keep what it gave
        raise invalid_grant("Code not valid")
    issuer.sessions.spend(code)
    _check_code(issuer, client, code, sent)
    session = issuer.sessions.find(code.session_id)
    user = issuer.realm.user(session.user_id) if session is not None else None
    if session is None or user is None:
        raise invalid_grant("Session not active")
    if not user.enabled:
        raise invalid_grant("User disabled")
    return Asked(client, user, session, code.scope, code.nonce, code.fresh)


def _check_code(issuer: Issuer, client: Client, code: Code, sent: Form) -> None:
    if code.until <= issuer.now():
        raise invalid_grant("Code is expired")
    if code.client_id != client.id:
        raise invalid_grant("Auth error")
    if not same(sent.get("redirect_uri", ""), code.redirect_uri):
        raise invalid_grant("Incorrect redirect_uri")
    verifier = sent.get("code_verifier", "")
    if not code.challenge:
        if verifier:
            raise invalid_grant("PKCE code verifier specified but challenge not present in authorization")
        return
    if not verifier:
        raise invalid_grant("PKCE code verifier not specified")
    if not VERIFIER.fullmatch(verifier):
        raise invalid_grant("PKCE verification failed: Invalid code verifier")
    if not same(s256(verifier), code.challenge):
        raise invalid_grant("PKCE verification failed: Code mismatch")


def _refresh_token(issuer: Issuer, client: Client, sent: Form) -> Asked:
    if not sent.get("refresh_token"):
        raise invalid_request("No refresh token")
    try:
        claims = read_own(issuer, sent["refresh_token"], "Refresh")
    except TokenBroken as error:
        expired = str(error) == "the token has expired"
        raise invalid_grant("Token is not active" if expired else "Invalid refresh token") from error
    if claims["azp"] != client.id:
        raise invalid_grant("Invalid refresh token. Token client and authorized client don't match")
    session = issuer.sessions.find(claims["sid"])
    user = issuer.realm.user(claims["sub"])
    if session is None or user is None or session.user_id != user.id:
        raise invalid_grant("Session not active")
    if not user.enabled:
        raise invalid_grant("User disabled")
    scope = sent.get("scope") or claims["scope"]
    if not set(scope.split()) <= {*claims["scope"].split(), *client.default_scopes}:
        raise Refused(400, "invalid_scope", f"Invalid scopes: {scope}")
    if issuer.realm.refresh_once:
        used = issuer.sessions.use_refresh(session.id, claims["jti"])
        if used > issuer.realm.refresh_reuse + 1:
            raise invalid_grant("Maximum allowed refresh token reuse exceeded")
    return Asked(client, user, issuer.sessions.touch(session), scope, claims["nonce"], fresh=False)


def _check_scope(issuer: Issuer, client: Client, sent: Form) -> None:
    """Before a session is opened for it."""
    for name in sent.get("scope", "").split():
        if name != "openid" and name not in (*client.default_scopes, *client.optional_scopes):
            raise ScopeUnknown(sent["scope"])


def s256(verifier: str) -> str:
    """RFC 7636, 4.2."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode("ascii")).digest()).rstrip(b"=").decode()


GRANTS: Mapping[str, Callable[[Issuer, Client, Form], Asked]] = {
    "password": _password,
    "client_credentials": _client_credentials,
    "authorization_code": _authorization_code,
    "refresh_token": _refresh_token,
}
