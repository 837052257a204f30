"""A decision as it is posted, as JSON or as a form: put on record, and carried out with the caller's own token."""

import asyncio
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from deskworld_desk.decisions.carrying import Outcome, carry_out, carrying
from deskworld_desk.decisions.deciding import Said, decide
from deskworld_desk.desk import Desk
from deskworld_desk.text import plain
from deskworld_desk.workbench.reading import decision_still
from deskworld_desk.workbench.seen import Seen, seeing
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem

Words = Annotated[str, Field(min_length=1, max_length=4_000), plain]


class Decide(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    verdict: Literal["approve", "decline"]
    words: Words | None = None
    reason: Literal["PAY_PO_PRICE", "RETURN_GOODS"] | None = None
    seen: Seen | None = None


async def post(
    desk: Desk, decision_id: str, body: Decide, who: Principal, token: str
) -> tuple[Outcome, asyncio.Task[Outcome] | None]:
    """The decision's state on record, and the work of carrying it out while that goes on. It goes on when the person's
    browser goes away. Raises Problem 400, 403, 404, 409."""
    if body.reason is not None and body.verdict == "approve":
        raise Problem(400, "INVALID_REQUEST", "a reason is given with decline only")
    at = seeing(desk, body.seen, decision_still(decision_id))
    decided = await decide(at, decision_id, who, Said(body.verdict, body.words, body.reason))
    name = carrying(decision_id)
    task = desk.background.running(name)
    if decided.order is not None:
        world = desk.worlds[decided.world]
        task = desk.background.start(carry_out(desk, world, decided.order, token, who.expires_at), name=name)
    return Outcome(decided.state, decided.code, decided.detail), task
