"""What a case does when a letter to the vendor reached nobody."""

from deskworld_desk.cases.docket import Docket
from deskworld_desk.cases.rules import stop_without_run
from deskworld_desk.cases.states import State
from deskworld_desk.cases.tables import Case
from deskworld_desk.desk import Desk
from deskworld_desk.turns import inputs


async def reached_nobody(docket: Docket, desk: Desk, case: Case, cause: int) -> None:
    """The rules stop; an agent is told and goes on."""
    if case.state == State.RESOLVED:
        return
    if case.owner == "rules":
        await stop_without_run(docket, desk, case, reason="unsent", cause=cause)
        return
    if case.state == State.AWAITING_ANSWER:
        docket.move(case, State.INVESTIGATING, "the letter reached nobody", cause)
    inputs.tell(docket, desk, case, inputs.note("desk", "The letter reached nobody."), cause)
