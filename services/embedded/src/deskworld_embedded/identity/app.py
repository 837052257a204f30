"""Keycloak's endpoints of one realm, wired."""

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from deskworld_embedded.identity import pages
from deskworld_embedded.identity.claims import Grounds, granted_scopes, mapped
from deskworld_embedded.identity.discovery import discovery
from deskworld_embedded.identity.forms import client_of, form
from deskworld_embedded.identity.grants import grant
from deskworld_embedded.identity.login import authenticate, authorize, with_query
from deskworld_embedded.identity.logout import confirmed, logout
from deskworld_embedded.identity.refusals import PageRefused, RedirectRefused, Refused, invalid_request
from deskworld_embedded.identity.tokens import Issuer, TokenBroken, read_access

NEVER_KEPT = {"Cache-Control": "no-store", "Pragma": "no-cache"}

Endpoint = Callable[[Issuer, Request], Awaitable[Response]]


def identity_app(issuer: Issuer) -> Starlette:
    oidc = f"/realms/{issuer.realm.name}/protocol/openid-connect"

    def at(path: str, endpoint: Endpoint, *methods: str) -> Route:
        async def bound(request: Request) -> Response:
            return await endpoint(issuer, request)

        return Route(path, bound, methods=list(methods))

    async def page_refused(_: Request, error: Exception) -> Response:
        if not isinstance(error, PageRefused):
            raise error
        return pages.note(title="We are sorry...", message=error.message, status=error.status)

    async def redirect_refused(_: Request, error: Exception) -> Response:
        if not isinstance(error, RedirectRefused):
            raise error
        said = {"error": error.error, "error_description": error.description}
        return RedirectResponse(with_query(error.back.uri, **said, state=error.back.state, iss=issuer.url), 302)

    return Starlette(
        routes=[
            at("/health", _health, "GET"),
            at(f"/realms/{issuer.realm.name}", _realm, "GET"),
            at(f"/realms/{issuer.realm.name}/.well-known/openid-configuration", _discovery, "GET"),
            at(f"{oidc}/certs", _certs, "GET"),
            at(f"{oidc}/auth", authorize, "GET", "POST"),
            at(f"/realms/{issuer.realm.name}/login-actions/authenticate", authenticate, "POST"),
            at(f"{oidc}/token", _token, "POST"),
            at(f"{oidc}/userinfo", _userinfo, "GET", "POST"),
            at(f"{oidc}/logout", logout, "GET", "POST"),
            at(f"{oidc}/logout/logout-confirm", confirmed, "POST"),
        ],
        exception_handlers={
            Refused: _refused,
            PageRefused: page_refused,
            RedirectRefused: redirect_refused,
            404: _not_found,
            405: _not_found,
        },
    )


async def _token(issuer: Issuer, request: Request) -> Response:
    sent = await form(request)
    if not sent.get("grant_type"):
        raise invalid_request("Missing form parameter: grant_type")
    client = client_of(issuer.realm, request, sent)
    return JSONResponse(grant(issuer, client, sent), headers=NEVER_KEPT)


async def _userinfo(issuer: Issuer, request: Request) -> Response:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise Refused(401, "invalid_request", "Token not provided")
    try:
        claims = read_access(issuer, token)
    except TokenBroken as error:
        raise Refused(401, "invalid_token", "Token verification failed") from error
    if "openid" not in str(claims.get("scope", "")).split():
        raise Refused(403, "insufficient_scope", "Missing openid scope")
    user = issuer.realm.user(str(claims.get("sub", "")))
    client = issuer.realm.clients.get(str(claims["azp"]))
    session = issuer.sessions.find(str(claims.get("sid", "")))
    if user is None or client is None or session is None:
        raise Refused(401, "invalid_token", "User session not found or doesn't have client attached on it")
    scopes = granted_scopes(issuer.realm, client, "openid")
    about: dict[str, Any] = mapped(Grounds(issuer.realm, client, user, scopes, None, fresh=False), "userinfo")
    return JSONResponse({"sub": user.id, **about}, headers=NEVER_KEPT)


async def _discovery(issuer: Issuer, _: Request) -> Response:
    return JSONResponse(
        discovery(issuer), headers={"Cache-Control": "no-cache, must-revalidate, no-transform, no-store"}
    )


async def _certs(issuer: Issuer, _: Request) -> Response:
    return JSONResponse({"keys": issuer.keys.published}, headers={"Cache-Control": "no-cache"})


async def _realm(issuer: Issuer, _: Request) -> Response:
    service = f"{issuer.url}/protocol/openid-connect"
    return JSONResponse({"realm": issuer.realm.name, "token-service": service})


async def _health(_issuer: Issuer, _: Request) -> Response:
    return JSONResponse({"status": "UP", "checks": []})


async def _refused(_: Request, error: Exception) -> Response:
    if not isinstance(error, Refused):
        raise error
    said = f'error="{error.error}", error_description="{error.description}"'
    challenge = {"WWW-Authenticate": f'Bearer realm="deskworld", {said}'} if error.status in (401, 403) else {}
    body = {"error": error.error, "error_description": error.description}
    return JSONResponse(body, status_code=error.status, headers={**NEVER_KEPT, **challenge})


async def _not_found(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    wrong = "Method not allowed" if status == 405 else f"Nothing is served at {request.url.path}"
    return JSONResponse({"error": f"HTTP {status}", "error_description": wrong}, status_code=status)
