"""Rows that several slices write in the same way."""

from collections.abc import Iterable

from deskworld_desk.cases.docket import DESK, Docket
from deskworld_desk.cases.tables import Case, Fact
from deskworld_desk.timeline.kinds import Actor, FactEstablished, FactSource, PolicyAsked, Reason
from deskworld_desk.world import FactFound, PolicyAnswer
from deskworld_kit import ids


def write_policy(docket: Docket, case: Case, answer: PolicyAnswer, cause: int | None) -> int:
    """The question in full is kept as a blob, so that the answer can be replayed."""
    entry = PolicyAsked(
        policy=answer.package,
        effect=answer.effect,
        reasons=tuple(Reason(code=code, text=text) for code, text in answer.reasons),
        role=answer.role,
        user=answer.user,
        row=answer.row,
        input_digest=docket.keep(answer.input),
        revision=answer.revision,
        policy_decision_id=answer.decision_id,
    )
    return docket.write(case, entry, Actor(type="policy", id=answer.package), cause)


def write_facts(docket: Docket, case: Case, facts: Iterable[FactFound], cause: int | None, actor: Actor = DESK) -> None:
    for found in facts:
        docket.session.add(
            Fact(
                id=ids.new_id(),
                case_id=case.id,
                fact=found.fact,
                value={"value": found.value},
                source_kind=found.source_kind,
            )
        )
        source = FactSource(kind=found.source_kind, id=found.source_id)
        docket.write(
            case, FactEstablished(fact=found.fact, value=found.value, source=source, how=found.how), actor, cause
        )
