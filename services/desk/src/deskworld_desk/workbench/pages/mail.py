"""Mail that joined no case, on pages for AP managers. What outsiders wrote is text here: it is obeyed by nothing."""

from typing import Any
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import Response

from deskworld_desk.letters.aside import dismiss, join_to_case, listed, shown
from deskworld_desk.workbench.mail_routes import Dismiss, Join
from deskworld_desk.workbench.pages.bench import Workbench
from deskworld_desk.workbench.pages.doorway import Wrong, done, read
from deskworld_desk.workbench.pages.sessions import BASE, Visitor
from deskworld_kit.answers import cursor_of, text_position

ADDRESS = f"{BASE}/mail"
PAGE = 50
Fields = dict[str, str]


async def mail_page(bench: Workbench, request: Request, visitor: Visitor) -> Response:
    after = text_position(request.query_params.get("cursor"))
    found = await listed(bench.desk, visitor.who, cursor=after, limit=PAGE)
    older = urlencode({"cursor": cursor_of(found["next"])}) if found["next"] else None
    did = request.query_params.get("done")
    return bench.render.page("mails.html", visitor=visitor, here="mail", older=older, did=did, **found)


async def one_mail(bench: Workbench, request: Request, visitor: Visitor) -> Response:
    return await _show(bench, visitor, request.path_params["mail_id"], None)


async def join(bench: Workbench, request: Request, visitor: Visitor, sent: Fields) -> Response:
    mail_id = request.path_params["mail_id"]

    async def command() -> Any:
        body = read(Join, case_id=(sent.get("typed") or sent.get("case_id") or "").strip())
        return await join_to_case(bench.desk, visitor.who, mail_id, body.case_id)

    return await _taken(bench, visitor, mail_id, "join", sent, command)


async def dismiss_mail(bench: Workbench, request: Request, visitor: Visitor, sent: Fields) -> Response:
    mail_id = request.path_params["mail_id"]

    async def command() -> Any:
        body = read(Dismiss, reason=sent.get("reason"))
        return await dismiss(bench.desk, visitor.who, mail_id, body.reason)

    return await _taken(bench, visitor, mail_id, "dismiss", sent, command)


async def _taken(bench: Workbench, visitor: Visitor, mail_id: str, name: str, sent: Fields, command: Any) -> Response:
    async def again(wrong: Wrong) -> Response:
        return await _show(bench, visitor, mail_id, wrong)

    return await done(name, sent, command, then=ADDRESS, again=again)


async def _show(bench: Workbench, visitor: Visitor, mail_id: str, wrong: Wrong | None) -> Response:
    found = await shown(bench.desk, visitor.who, mail_id)
    status = 200 if wrong is None else wrong.status
    at = f"{ADDRESS}/{quote(mail_id, safe='')}"
    return bench.render.page(
        "mail.html", visitor=visitor, status=status, here="mail", mail=found, address=at, wrong=wrong
    )
