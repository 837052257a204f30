"""What a case may use of agents. When it is spent, the case is a person's; a controller may raise it."""

from dataclasses import dataclass

from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from deskworld_desk.cases.tables import Case
from deskworld_desk.desk import Desk
from deskworld_desk.timeline.kinds import Actor, PersonNoted
from deskworld_desk.turns.controllers import controller
from deskworld_desk.turns.tables import CaseBudget
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem

TURNS_PER_CASE = 12
INPUT_TOKENS_PER_CASE = 200_000
MOST_TURNS, MOST_INPUT_TOKENS = 1_000, 1_000_000_000


@dataclass(frozen=True, slots=True)
class Budget:
    """Tokens are those that the agents' models reported: what was not reported is not counted."""

    turns: int
    turns_used: int
    input_tokens: int
    input_tokens_used: int

    @property
    def spent(self) -> bool:
        return self.turns_used >= self.turns or self.input_tokens_used >= self.input_tokens


async def budget_of(session: AsyncSession, case: Case) -> Budget:
    raised = await session.get(CaseBudget, case.id)
    turns = TURNS_PER_CASE if raised is None else raised.turns
    tokens = INPUT_TOKENS_PER_CASE if raised is None else raised.input_tokens
    return Budget(turns, case.turns, tokens, case.input_tokens)


async def raise_budget(
    desk: Desk, case_id: str, who: Principal, *, turns: int, input_tokens: int, reason: str
) -> Budget:
    """Sets what the case may use in all, from its first turn on; on its timeline as that person's note.

    Raises Problem 403 to all but controllers, 404, 400 when it is less than before or beyond any bound.
    """
    person = controller(who, "raise a budget")
    async with desk.dockets.of_case(case_id) as docket:
        case = docket.cases.get(case_id)
        if case is None:
            raise Problem(404, "NOT_FOUND", "There is no such case.")
        now = await budget_of(docket.session, case)
        _check(now.turns, turns, MOST_TURNS, "turns")
        _check(now.input_tokens, input_tokens, MOST_INPUT_TOKENS, "input_tokens")
        raised = insert(CaseBudget).values(case_id=case_id, turns=turns, input_tokens=input_tokens)
        await docket.session.execute(
            raised.on_conflict_do_update(
                index_elements=[CaseBudget.case_id], set_={"turns": turns, "input_tokens": input_tokens}
            )
        )
        text = f"Budget raised to {turns} turns and {input_tokens} input tokens: {reason}"
        docket.write(case, PersonNoted(by=person, text=text), Actor(type="person", id=person.username))
        return Budget(turns, case.turns, input_tokens, case.input_tokens)


def _check(before: int, wanted: int, most: int, what: str) -> None:
    if not before <= wanted <= most:
        detail = f"{what}: from {before}, what it is now, to {most} (was {wanted})"
        raise Problem(400, "INVALID_REQUEST", detail, field=what, value=wanted)
