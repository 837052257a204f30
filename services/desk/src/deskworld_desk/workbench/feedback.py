"""What somebody thinks of the work on a case. It stands on the record; nothing follows from it."""

from sqlalchemy import select

from deskworld_desk.cases.exits import actor, by
from deskworld_desk.decisions.tables import Decision
from deskworld_desk.desk import Desk
from deskworld_desk.timeline.kinds import FeedbackGiven
from deskworld_desk.turns.tables import Turn
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem


async def give(desk: Desk, case_id: str, who: Principal, *, about: str, text: str) -> int:
    """The seq of the row. `about`: the case, one of its turns, or one of its decisions. Raises Problem 400, 404."""
    async with desk.dockets.of_case(case_id) as docket:
        case = docket.cases.get(case_id)
        if case is None:
            raise Problem(404, "NOT_FOUND", f"there is no case {case_id}")
        cause = None
        if about != case_id:
            turns = select(Turn.started_seq).where(Turn.id == about, Turn.case_id == case_id)
            decisions = select(Decision.requested_seq).where(Decision.id == about, Decision.case_id == case_id)
            cause = await docket.session.scalar(turns.union_all(decisions).limit(1))
            if cause is None:
                detail = f"about: neither this case nor one of its turns or decisions (was {about!r})"
                raise Problem(400, "INVALID_REQUEST", detail, field="about", value=about)
        return docket.write(case, FeedbackGiven(by=by(who), about=about, text=text), actor(who), cause)
