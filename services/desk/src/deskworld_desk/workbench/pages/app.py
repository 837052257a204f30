"""The pages' routes, wired: a host of one name, a session for each page, and a form only from a page of ours."""

import asyncio
from collections.abc import Awaitable, Callable
from urllib.parse import quote, urlencode, urlsplit

import structlog
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from deskworld_desk.workbench.deciding import Decide, post
from deskworld_desk.workbench.pages.asked import check_origin, form
from deskworld_desk.workbench.pages.bench import Workbench, to
from deskworld_desk.workbench.pages.case import case_of, case_page
from deskworld_desk.workbench.pages.queue import queue
from deskworld_desk.workbench.pages.refusing import REFUSALS, Elsewhere, NoRole, refused
from deskworld_desk.workbench.pages.render import TEMPLATES
from deskworld_desk.workbench.pages.sessions import BASE, Visitor
from deskworld_desk.workbench.pages.signing import callback, sign_in, sign_out, signed_out

log = structlog.get_logger(__name__)
CARRYING_SECONDS = 10.0
"""How long a page waits for the system of record; then it shows that the decision is being carried out."""


Endpoint = Callable[[Workbench, Request], Awaitable[Response]]
ForVisitor = Callable[[Workbench, Request, Visitor], Awaitable[Response]]
Posted = Callable[[Workbench, Request, Visitor, dict[str, str]], Awaitable[Response]]


def pages(bench: Workbench) -> Starlette:
    """To be mounted at BASE."""

    def at(path: str, endpoint: Endpoint, method: str = "GET") -> Route:
        async def bound(request: Request) -> Response:
            _check_address(bench, request)
            return await endpoint(bench, request)

        return Route(path, bound, methods=[method])

    async def said_no(request: Request, error: Exception) -> Response:
        return refused(bench, request, error)

    async def broken(request: Request, error: Exception) -> Response:
        log.error("a page broke", path=request.url.path, exc_info=error)
        why = "Something broke here, not in your request. It is in the desk's log."
        return bench.render.page("refused.html", status=500, what="Internal error", why=why)

    return Starlette(
        routes=[
            at("/", for_people(_queue)),
            at("/cases/{case_id}", for_people(_case)),
            at("/decisions/{decision_id}", posted(_decide), "POST"),
            at("/sign-in", sign_in),
            at("/callback", callback),
            at("/sign-out", sign_out, "POST"),
            at("/signed-out", signed_out),
            at("/style.css", _style),
        ],
        exception_handlers={**dict.fromkeys(REFUSALS, said_no), Exception: broken},
    )


def _check_address(bench: Workbench, request: Request) -> None:
    """Raises Elsewhere, HTTPException for an id that no record can have."""
    if any("\x00" in value for value in request.path_params.values()):
        raise HTTPException(404)
    if request.headers.get("host", "").lower() != urlsplit(bench.public_url).netloc:
        raise Elsewhere


def for_people(endpoint: ForVisitor) -> Endpoint:
    async def page(bench: Workbench, request: Request) -> Response:
        visitor = await bench.sessions.visitor(request)
        _check_person(visitor)
        return _renewed(bench, visitor, await endpoint(bench, request, visitor))

    return page


def posted(endpoint: Posted) -> Endpoint:
    """The form of a person, made by a page of ours."""

    async def taken(bench: Workbench, request: Request) -> Response:
        visitor = await bench.sessions.visitor(request)
        _check_person(visitor)
        sent = await form(request)
        check_origin(request, sent, visitor.csrf, bench.public_url)
        return _renewed(bench, visitor, await endpoint(bench, request, visitor, sent))

    return taken


def _check_person(visitor: Visitor) -> None:
    """Raises NoRole."""
    if not visitor.who.is_person:
        raise NoRole(visitor)


def _renewed(bench: Workbench, visitor: Visitor, response: Response) -> Response:
    if visitor.cookie is not None:
        bench.sessions.set_session(response, visitor.cookie)
    return response


async def _queue(bench: Workbench, request: Request, visitor: Visitor) -> Response:
    return bench.render.page("queue.html", visitor=visitor, **await queue(bench.desk, visitor.who))


async def _case(bench: Workbench, request: Request, visitor: Visitor) -> Response:
    return await _case_with(bench, visitor, request.path_params["case_id"], request.query_params.get("decided"))


async def _case_with(
    bench: Workbench,
    visitor: Visitor,
    case_id: str,
    decided: str | None = None,
    wrong: str | None = None,
    sent: dict[str, str] | None = None,
) -> Response:
    """`decided`: a decision to say the outcome of. `wrong`: what is wrong with what was `sent`."""
    found = await case_page(bench.desk, case_id, visitor.who)
    said = next((one for one in found["decisions"] if one["decision_id"] == decided and one["by_you"]), None)
    status = 200 if wrong is None else 400
    return bench.render.page(
        "case.html", visitor=visitor, status=status, said=said, wrong=wrong, sent=_kept(sent), **found
    )


def _kept(sent: dict[str, str] | None) -> dict[str, str]:
    """What the forms are filled with, so that nobody types it twice."""
    return {name: (sent or {}).get(name, "") for name in ("verdict", "words", "reason")}


async def _decide(bench: Workbench, request: Request, visitor: Visitor, sent: dict[str, str]) -> Response:
    decision_id = request.path_params["decision_id"]
    case_id = await case_of(bench.desk, decision_id)
    words = sent.get("words", "").strip()
    if sent.get("verdict") == "decline" and not words:
        wrong = "Say why you decline: whoever proposed it is told your words."
        return await _case_with(bench, visitor, case_id, wrong=wrong, sent=sent)
    try:
        body = Decide.model_validate(
            {"verdict": sent.get("verdict"), "words": words or None, "reason": sent.get("reason") or None}
        )
    except ValidationError as error:
        first = error.errors()[0]
        wrong = f"{first['loc'][0]}: {first['msg']}"
        return await _case_with(bench, visitor, case_id, wrong=wrong, sent=sent)
    _, carrying = await post(bench.desk, decision_id, body, visitor.who, visitor.token)
    if carrying is not None:
        await asyncio.wait([carrying], timeout=CARRYING_SECONDS)
    return to(f"{BASE}/cases/{quote(case_id, safe='')}?{urlencode({'decided': decision_id})}")


async def _style(bench: Workbench, request: Request) -> Response:
    headers = {**bench.render.headers, "Cache-Control": "max-age=300"}
    return FileResponse(TEMPLATES / "style.css", media_type="text/css", headers=headers)
