"""What stands before each page: the one address, a session, a role, and for a form that a page of ours made it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlencode, urlsplit

from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from deskworld_desk.workbench.pages.asked import check_origin, form
from deskworld_desk.workbench.pages.bench import Workbench, to
from deskworld_desk.workbench.pages.refusing import Elsewhere, NoRole
from deskworld_desk.workbench.pages.sessions import Visitor
from deskworld_desk.workbench.people import check_role
from deskworld_kit.problems import Problem

Body = TypeVar("Body", bound=BaseModel)
Endpoint = Callable[[Workbench, Request], Awaitable[Response]]
ForVisitor = Callable[[Workbench, Request, Visitor], Awaitable[Response]]
Posted = Callable[[Workbench, Request, Visitor, dict[str, str]], Awaitable[Response]]
ANYBODY: frozenset[str] = frozenset()
SAYABLE = frozenset({400, 409, 412, 422, 428, 503})
"""What is said beside the form that was sent: its sender can do something about it."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """What is wrong with a form that was sent, and what was in it, so that nobody types it twice."""

    form: str
    words: str
    status: int
    changed: tuple[Mapping[str, Any], ...] = ()
    sent: Mapping[str, str] = field(default_factory=dict)


def for_people(endpoint: ForVisitor, roles: frozenset[str] = ANYBODY) -> Endpoint:
    async def page(bench: Workbench, request: Request) -> Response:
        visitor = await _somebody(bench, request, roles)
        return _renewed(bench, visitor, await endpoint(bench, request, visitor))

    return page


def posted(endpoint: Posted, roles: frozenset[str] = ANYBODY) -> Endpoint:
    """The form of a person, made by a page of ours."""

    async def taken(bench: Workbench, request: Request) -> Response:
        visitor = await _somebody(bench, request, roles)
        sent = await form(request)
        check_origin(request, sent, visitor.csrf, bench.public_url)
        return _renewed(bench, visitor, await endpoint(bench, request, visitor, sent))

    return taken


def check_address(bench: Workbench, request: Request) -> None:
    """Raises Elsewhere, HTTPException for an id that no record can have."""
    if any("\x00" in value for value in request.path_params.values()):
        raise HTTPException(404)
    if request.headers.get("host", "").lower() != urlsplit(bench.public_url).netloc:
        raise Elsewhere


async def done(
    name: str,
    sent: Mapping[str, str],
    command: Callable[[], Awaitable[Any]],
    *,
    then: str,
    again: Callable[[Wrong], Awaitable[Response]],
) -> Response:
    """Carries out what a form asks, and leads to `then`, which says that `name` was done; or shows the page `again`."""
    try:
        await command()
    except Problem as problem:
        if problem.status not in SAYABLE:
            raise
        return await again(wrong_with(name, sent, problem))
    return to(f"{then}?{urlencode({'done': name})}")


def wrong_with(name: str, sent: Mapping[str, str], problem: Problem) -> Wrong:
    return Wrong(name, problem.detail, problem.status, tuple(problem.values.get("changed", ())), sent)


def read(model: type[Body], **fields: Any) -> Body:
    """A form's fields as the JSON body would have them; what was left empty is not there. Raises Problem 400."""
    try:
        return model.model_validate({name: value for name, value in fields.items() if value not in ("", None, [])})
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"]) or "the form"
        said = "is needed" if first["type"] == "missing" else first["msg"]
        raise Problem(400, "INVALID_REQUEST", f"{name.replace('_', ' ')}: {said}", field=name) from error


async def _somebody(bench: Workbench, request: Request, roles: frozenset[str]) -> Visitor:
    """Raises SignInNeeded, NoRole, Problem 403."""
    visitor = await bench.sessions.visitor(request)
    if not visitor.who.is_person:
        raise NoRole(visitor)
    check_role(visitor.who, roles)
    return visitor


def _renewed(bench: Workbench, visitor: Visitor, response: Response) -> Response:
    if visitor.cookie is not None:
        bench.sessions.set_session(response, visitor.cookie)
    return response
