"""The first page: what waits for this person, and every case that is open."""

from typing import Any

from sqlalchemy import select

from deskworld_desk.cases.tables import Case
from deskworld_desk.cases.view import read_views
from deskworld_desk.desk import Desk
from deskworld_desk.workbench.reading import WORKLIST_LIMIT, worklist
from deskworld_kit.identity import Principal


async def queue(desk: Desk, who: Principal) -> dict[str, Any]:
    """`decisions` and `questions` are this person's, each with its case; `cases` are all that are not resolved."""
    found = await worklist(desk, who)
    views = {view["case_id"]: view for view in found["cases"]}
    needed = {one["case_id"] for one in (*found["decisions"], *found["questions"])} - set(views)
    if needed:
        async with desk.db.transaction() as session:
            cases = (await session.scalars(select(Case).where(Case.id.in_(needed)))).all()
            views |= {view["case_id"]: view for view in await read_views(session, cases, desk.names)}
    return {
        "decisions": [one | {"case": views[one["case_id"]]} for one in found["decisions"]],
        "questions": [one | {"case": views[one["case_id"]]} for one in found["questions"]],
        "cases": [view | {"summary": desk.worlds[view["world"]].summary(view["reason"])} for view in found["cases"]],
        "cut_off": WORKLIST_LIMIT if len(found["cases"]) == WORKLIST_LIMIT else None,
    }
