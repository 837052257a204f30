"""A case as a world's code may see it."""

from collections.abc import Iterable
from typing import Literal

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from deskworld_desk.cases.tables import Case, Fact
from deskworld_desk.letters.tables import Letter
from deskworld_desk.world import CaseNow
from deskworld_kit.plans import constant

_FACTS = constant(select(Fact).where(Fact.case_id == bindparam("case_id")).order_by(Fact.id))
_AWAITED = constant(
    select(Letter.awaited).where(
        Letter.case_id == bindparam("case_id"), Letter.to_kind == "vendor", Letter.state != "UNSENT"
    )
)


async def case_now(session: AsyncSession, case: Case) -> CaseNow:
    of = {"case_id": case.id}
    facts, awaited = await session.scalars(_FACTS, of), await session.scalars(_AWAITED, of)
    return snapshot(case, facts, list(awaited))


def snapshot(case: Case, facts: Iterable[Fact] = (), awaited: Iterable[bool] = ()) -> CaseNow:
    return CaseNow(
        id=case.id,
        world=case.world,
        record_id=case.record_id,
        party_id=case.party_id,
        reason=case.reason,
        amount=case.amount,
        currency=case.currency,
        opening=dict(case.opening),
        version=case.record_version,
        held=case.held,
        declined=tuple(case.declined),
        memory=dict(case.memory),
        facts={fact.fact: fact.value["value"] for fact in facts},
        instructions_seen=case.instructions_seen,
        reader_failed=case.reader_failed,
        letter=_letter(tuple(awaited)),
    )


def _letter(awaited: tuple[bool, ...]) -> Literal["none", "sent", "answered"]:
    if not awaited:
        return "none"
    return "sent" if any(awaited) else "answered"
