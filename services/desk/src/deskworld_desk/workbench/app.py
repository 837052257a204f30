"""The desk's office door: people at the workbench, and the system of record's webhook."""

from collections.abc import Awaitable, Callable, Mapping

from fastapi import APIRouter, FastAPI
from fastapi.responses import RedirectResponse
from starlette.applications import Starlette

from deskworld_desk.desk import Desk
from deskworld_desk.workbench import (
    bank_change_routes,
    case_routes,
    decision_routes,
    flag_routes,
    hook,
    mail_routes,
    oversight_routes,
)
from deskworld_desk.workbench.pages.sessions import BASE
from deskworld_desk.workbench.people import People
from deskworld_kit.description import Described
from deskworld_kit.door import door
from deskworld_kit.health import health_router
from deskworld_kit.identity import TokenVerifier

SLICES = (case_routes, decision_routes, flag_routes, mail_routes, bank_change_routes, oversight_routes)
DESCRIBED = Described(
    title="Deskworld desk",
    about="The workbench: cases, decisions, questions, flags, mail that joined no case, bank changes and oversight. "
    "Money is a string; times have an offset; every error is a problem document (RFC 9457). A command may name `seen`, "
    "the `seq` of the case that its sender saw: what came since is then said in a 409 CASE_CHANGED.",
    credential="An access token of the identity provider whose audience holds `desk`, of a person.",
    details={
        "NOT_AUTHORISED": "bruno.costa has none of the roles that may do this: ap-manager, controller",
        "NOT_THE_DECIDER": "this decision is for somebody with the role ap-manager",
        "NOT_THE_BUYER": "this question is for anna.keller",
        "DECISION_CLOSED": "this decision is declined",
        "QUESTION_CLOSED": "this question is answered",
        "CASE_CHANGED": "the case is at row 14, you saw row 12; since then: mail.received, reading.made",
        "NO_PERSON_NEEDED": "the case is AWAITING_DECISION: nobody has to take it up",
        "PRECONDITION_REQUIRED": "send If-Match with the ETag that you saw, so that nobody's change is lost",
        "PRECONDITION_FAILED": "it is not what you saw any more",
        "SIGNATURE_REFUSED": "no signature of this secret",
        "VERIFICATION_REFUSED": "The phone is not a number that is on record for a contact of this vendor.",
    },
    values={
        "agent": "playbook",
        "currency": "USD",
        "detail": "The invoice was changed meanwhile.",
        "by": "anna.keller",
        "asked_by": "grace.hall",
        "confirmed_by": "ines.vogel",
    },
)


def office(
    desk: Desk,
    verifier: TokenVerifier,
    webhook_secret: str,
    health: Callable[[], Awaitable[Mapping[str, str]]],
    pages: Starlette,
    stack: Mapping[str, str] | None = None,
) -> FastAPI:
    people = People(verifier)
    slices: list[APIRouter] = [router for one in SLICES for router in one.routes(desk, people)]
    app = door(DESCRIBED, [health_router(health, stack=stack), *slices, hook.routes(desk, webhook_secret)])
    app.mount(BASE, pages)
    app.add_api_route("/", _first_page, include_in_schema=False)
    return app


async def _first_page() -> RedirectResponse:
    return RedirectResponse(f"{BASE}/", 303)
