"""Signing in, coming back from the issuer, and signing out."""

from starlette.requests import Request
from starlette.responses import Response

from deskworld_desk.workbench.pages.asked import SignInNeeded, check_origin, form, local_path
from deskworld_desk.workbench.pages.bench import Workbench, to
from deskworld_desk.workbench.pages.sessions import BASE
from deskworld_kit.identity_code import ProviderUnavailable, SignInFailed
from deskworld_kit.problems import Problem


async def sign_in(bench: Workbench, request: Request) -> Response:
    page = local_path(request.query_params.get("next", ""), BASE)
    address, name, cookie = bench.sessions.begin(page)
    response = to(address)
    bench.sessions.set_pending(response, name, cookie)
    return response


async def callback(bench: Workbench, request: Request) -> Response:
    try:
        page, pending, cookie = await bench.sessions.finish(request)
    except SignInFailed as failed:
        return bench.render.page("sign-in-failed.html", status=400, why=str(failed))
    except ProviderUnavailable as away:
        raise Problem(503, "UNAVAILABLE", f"the identity provider does not answer: {away}") from away
    response = to(page)
    bench.sessions.drop_pending(response, pending)
    bench.sessions.set_session(response, cookie)
    return response


async def sign_out(bench: Workbench, request: Request) -> Response:
    """Whoever is signed in may sign out, a person or not."""
    try:
        visitor = await bench.sessions.visitor(request)
    except SignInNeeded:
        return to(f"{BASE}/signed-out")
    check_origin(request, await form(request), visitor.csrf, bench.public_url)
    response = to(bench.sessions.end(visitor))
    bench.sessions.drop_session(response)
    return response


async def signed_out(bench: Workbench, request: Request) -> Response:
    return bench.render.page("signed-out.html")
