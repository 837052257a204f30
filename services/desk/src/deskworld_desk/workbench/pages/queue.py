"""The first page: what waits for this person, and cases, with filters and page by page."""

from typing import Any
from urllib.parse import urlencode

from sqlalchemy import select
from starlette.requests import Request
from starlette.responses import Response

from deskworld_desk.cases.states import State
from deskworld_desk.cases.tables import Case
from deskworld_desk.cases.view import read_views
from deskworld_desk.desk import Desk
from deskworld_desk.workbench.pages.bench import Workbench
from deskworld_desk.workbench.pages.sessions import Visitor
from deskworld_desk.workbench.worklist import Wanted, worklist
from deskworld_kit.identity import Principal

PAGE = 50


async def worklist_page(bench: Workbench, request: Request, visitor: Visitor) -> Response:
    asked = {name: _typed(request.query_params.get(name)) for name in ("state", "reason", "vendor", "invoice", "mine")}
    state = asked["state"] if asked["state"] in set(State) else None
    wanted = Wanted(
        (state,) if state else (),
        reason=asked["reason"],
        record_id=asked["invoice"],
        party_id=asked["vendor"],
        mine=asked["mine"] == "yes",
        cursor=request.query_params.get("cursor"),
        limit=PAGE,
    )
    found = await queue(bench.desk, visitor.who, wanted)
    filters = {name: value for name, value in asked.items() if value}
    older = urlencode(filters | {"cursor": found["next"]}) if found["next"] else None
    return bench.render.page(
        "queue.html",
        visitor=visitor,
        here="worklist",
        filters=filters,
        older=older,
        states=[one.value for one in State],
        first=wanted.cursor is None,
        **found,
    )


async def queue(desk: Desk, who: Principal, wanted: Wanted) -> dict[str, Any]:
    """`decisions` and `questions` are this person's, each with its case; `cases` are those that are wanted."""
    found = await worklist(desk, who, wanted)
    views = {view["case_id"]: view for view in found["cases"]}
    needed = {one["case_id"] for one in (*found["decisions"], *found["questions"])} - set(views)
    if needed:
        async with desk.db.snapshot() as session:
            cases = (await session.scalars(select(Case).where(Case.id.in_(needed)))).all()
            views |= {view["case_id"]: view for view in await read_views(session, cases, desk.names)}
    return {
        "decisions": [one | {"case": views[one["case_id"]]} for one in found["decisions"]],
        "questions": [one | {"case": views[one["case_id"]]} for one in found["questions"]],
        "cases": [view | {"summary": desk.worlds[view["world"]].summary(view["reason"])} for view in found["cases"]],
        "next": found["next"],
    }


def _typed(text: str | None) -> str | None:
    """A field of the filter; what no column holds finds nothing."""
    return (text or "").strip().replace("\x00", "\ufffd")[:64] or None
