"""The pages' routes, wired."""

import structlog
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from deskworld_desk.workbench.pages import bank_changes, case_forms, deciding, flags, mail, oversight, queue
from deskworld_desk.workbench.pages.bench import Workbench
from deskworld_desk.workbench.pages.doorway import Endpoint, check_address, for_people, posted
from deskworld_desk.workbench.pages.refusing import REFUSALS, refused
from deskworld_desk.workbench.pages.render import TEMPLATES
from deskworld_desk.workbench.pages.signing import callback, sign_in, sign_out, signed_out
from deskworld_desk.workbench.people import (
    CONTROLS,
    MANAGES_MAIL,
    MAY_ASK,
    MAY_CLOSE,
    MAY_CONFIRM,
    MAY_TAKE_UP,
    OVERSEES,
    VERIFIES,
    WORKS,
)

log = structlog.get_logger(__name__)


async def _style(bench: Workbench, request: Request) -> Response:
    headers = {**bench.render.headers, "Cache-Control": "max-age=300"}
    return FileResponse(TEMPLATES / "style.css", media_type="text/css", headers=headers)


PAGES: dict[tuple[str, str], Endpoint] = {
    ("GET", "/"): for_people(queue.worklist_page),
    ("GET", "/cases/{case_id}"): for_people(case_forms.case),
    ("POST", "/cases/{case_id}/notes"): posted(case_forms.note, WORKS),
    ("POST", "/cases/{case_id}/feedback"): posted(case_forms.feedback, WORKS),
    ("POST", "/cases/{case_id}/resume"): posted(case_forms.resume, MAY_TAKE_UP),
    ("POST", "/cases/{case_id}/proposals"): posted(case_forms.propose, MAY_TAKE_UP),
    ("POST", "/cases/{case_id}/close"): posted(case_forms.close, MAY_CLOSE),
    ("POST", "/cases/{case_id}/budget"): posted(case_forms.budget, CONTROLS),
    ("POST", "/decisions/{decision_id}"): posted(deciding.decide),
    ("POST", "/questions/{question_id}/answer"): posted(case_forms.answer),
    ("GET", "/flags"): for_people(flags.flags_page),
    ("POST", "/flags/{flag_id}/clear"): posted(flags.clear, MAY_ASK),
    ("POST", "/flags/{flag_id}/confirm"): posted(flags.confirm_flag, MAY_CONFIRM),
    ("POST", "/flags/{flag_id}/keep"): posted(flags.keep_flag, MAY_ASK),
    ("GET", "/mail"): for_people(mail.mail_page, MANAGES_MAIL),
    ("GET", "/mail/{mail_id}"): for_people(mail.one_mail, MANAGES_MAIL),
    ("POST", "/mail/{mail_id}/join"): posted(mail.join, MANAGES_MAIL),
    ("POST", "/mail/{mail_id}/dismiss"): posted(mail.dismiss_mail, MANAGES_MAIL),
    ("GET", "/bank-changes"): for_people(bank_changes.changes_page),
    ("GET", "/bank-changes/{change_id}"): for_people(bank_changes.one_change),
    ("POST", "/bank-changes/{change_id}/call-back"): posted(bank_changes.step("call-back"), VERIFIES),
    ("POST", "/bank-changes/{change_id}/confirm"): posted(bank_changes.step("confirm"), VERIFIES),
    ("POST", "/bank-changes/{change_id}/reject"): posted(bank_changes.step("reject"), VERIFIES),
    ("GET", "/oversight"): for_people(oversight.oversight_page, OVERSEES),
    ("POST", "/oversight/pause"): posted(oversight.pause, CONTROLS),
    ("POST", "/oversight/resume"): posted(oversight.resume_all, CONTROLS),
    # without a session: on the way to one, and out of it
    ("GET", "/sign-in"): sign_in,
    ("GET", "/callback"): callback,
    ("POST", "/sign-out"): sign_out,
    ("GET", "/signed-out"): signed_out,
    ("GET", "/style.css"): _style,
}


def pages(bench: Workbench) -> Starlette:
    """To be mounted at BASE."""

    def at(method: str, path: str, endpoint: Endpoint) -> Route:
        async def bound(request: Request) -> Response:
            check_address(bench, request)
            return await endpoint(bench, request)

        return Route(path, bound, methods=[method])

    async def said_no(request: Request, error: Exception) -> Response:
        return refused(bench, request, error)

    async def broken(request: Request, error: Exception) -> Response:
        log.error("a page broke", path=request.url.path, exc_info=error)
        why = "Something broke here, not in your request. It is in the desk's log."
        return bench.render.page("refused.html", status=500, what="Internal error", why=why)

    return Starlette(
        routes=[at(method, path, endpoint) for (method, path), endpoint in PAGES.items()],
        exception_handlers={**dict.fromkeys(REFUSALS, said_no), Exception: broken},
    )
