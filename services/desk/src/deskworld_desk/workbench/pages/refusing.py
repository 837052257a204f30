"""How a page says no, and where it sends who may not be here yet."""

from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from deskworld_desk.workbench.pages.asked import SignInNeeded
from deskworld_desk.workbench.pages.bench import Workbench, to
from deskworld_desk.workbench.pages.sessions import BASE, Visitor
from deskworld_kit.outage import KINDS, is_outage
from deskworld_kit.problems import Problem


class NoRole(Exception):
    """Signed in, and nobody of the company."""

    def __init__(self, visitor: Visitor) -> None:
        super().__init__(visitor.who.username)
        self.visitor = visitor


class Elsewhere(Exception):
    """The request came under another name of this machine than the one that cookies and sign-in are made for."""


AWAY = "The desk's database cannot be had now. Try again: a decision that is sent twice is made once."
REFUSALS: tuple[type[Exception], ...] = (Problem, SignInNeeded, NoRole, Elsewhere, HTTPException, *KINDS)


def refused(bench: Workbench, request: Request, error: Exception) -> Response:
    """Of one of REFUSALS. Raises what is none: an error of the database that is a fault of ours."""
    reading = request.method in {"GET", "HEAD"}
    page = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    if isinstance(error, Elsewhere) and reading:
        return to(f"{bench.public_url}{page}")
    if isinstance(error, SignInNeeded):
        if reading:
            return to(f"{BASE}/sign-in?{urlencode({'next': page})}")
        return bench.render.page("signed-out.html", status=401, nothing_done=True)
    status, what, why = _in_words(bench, request, error)
    visitor = error.visitor if isinstance(error, NoRole) else None
    return bench.render.page("refused.html", visitor=visitor, status=status, what=what, why=why)


def _in_words(bench: Workbench, request: Request, error: Exception) -> tuple[int, str, str]:
    match error:
        case Elsewhere():
            return 400, "Another address", f"The workbench is at {bench.public_url}{BASE}/."
        case NoRole():
            return 403, "Not authorised", f"{error} has none of the company's roles."
        case Problem():
            return error.status, error.code, error.detail
        case HTTPException(status_code=404):
            return 404, "Not found", f"Nothing is at {request.url.path}."
        case _ if is_outage(error):
            return 503, "Unavailable", AWAY
        case HTTPException():
            return error.status_code, error.detail, f"{request.url.path} does not take {request.method}."
    raise error
