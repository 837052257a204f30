"""What the agent is told: typed inputs with labels from a closed set. Renaming a label is a breaking change."""

import re
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from deskworld_desk.cases.docket import Docket
from deskworld_desk.cases.states import AT_REST, State
from deskworld_desk.cases.tables import Case, Fact
from deskworld_desk.desk import Desk
from deskworld_desk.turns.tables import Input
from deskworld_desk.world import Cause
from deskworld_kit import clock, ids
from deskworld_kit.plans import constant

_CODE = re.compile(r"[A-Za-z][A-Za-z_-]{0,39}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Told:
    """`subject` is the id of what the input is about."""

    type: str
    label: str
    subject: str
    payload: dict[str, Any]


def label(*parts: str) -> str:
    """What fingerprints are grouped by: codes alone, whatever the system of record sends in their place."""
    return ":".join(part if _CODE.fullmatch(part) else "OTHER" for part in parts)


def rechecked(case: Case, cause: Cause) -> Told:
    payload = {"cause": {"kind": cause.kind, "id": cause.id}, "exception": case.id}
    return Told("rechecked", label("rechecked", case.reason, cause.kind), cause.id, payload)


def reply(mail_id: str, reading: dict[str, Any], sender: str) -> Told:
    marks = [
        *(["instructions"] if reading["contains_instructions"] else []),
        *(["stranger"] if sender == "stranger" else []),
    ]
    return Told(
        "reply",
        label("reply", reading["intent"], *marks),
        mail_id,
        {"mail_id": mail_id, "reading": reading, "sender": sender},
    )


def answered(question_id: str, by: str, text: str) -> Told:
    return Told("answered", "answered", question_id, {"question_id": question_id, "by": by, "text": text})


def decision(decision_id: str, outcome: str, action: str, **why: str | None) -> Told:
    payload: dict[str, Any] = {"decision_id": decision_id, "outcome": outcome, "action": action}
    for name in ("words", "reason", "code", "detail"):
        payload[name] = why.get(name)
    return Told("decision", label("decision", outcome), decision_id, payload)


def note(by: str, text: str) -> Told:
    return Told("note", "note", by, {"by": by, "text": text})


async def rules_stopped(docket: Docket, case: Case, reason: str) -> Told:
    facts = await docket.session.scalars(select(Fact).where(Fact.case_id == case.id).order_by(Fact.id))
    payload = {"reason": reason, "facts": [{"fact": fact.fact, "value": fact.value["value"]} for fact in facts]}
    return Told("rules-stopped", label("rules-stopped", case.reason, reason), case.id, payload)


def tell(docket: Docket, desk: Desk, case: Case, told: Told, cause: int | None) -> None:
    """Queues the input for the agent. A case at rest tells nobody anything."""
    if State(case.state) in AT_REST:
        return
    docket.session.add(
        Input(
            id=ids.new_id(),
            case_id=case.id,
            type=told.type,
            label=told.label,
            subject=told.subject,
            payload=told.payload,
            cause=cause,
            made_at=clock.now(),
            turn_id=None,
            dropped_at=None,
        )
    )
    docket.show(case)
    docket.after(lambda: desk.turnstile.offer(case.id))


_DROP = constant(
    update(Input)
    .where(Input.case_id == bindparam("of_case"), Input.turn_id.is_(None), Input.dropped_at.is_(None))
    .values(dropped_at=bindparam("now"))
    .execution_options(synchronize_session=False)
)


async def drop_untold(docket: Docket, case: Case) -> None:
    await docket.session.execute(_DROP, {"of_case": case.id, "now": clock.now()})


async def untold_cases(session: AsyncSession) -> list[str]:
    """Cases that an agent is to be told something of: whose oldest untold input is the oldest comes first."""
    found = await session.scalars(
        select(Input.case_id)
        .join(Case, Case.id == Input.case_id)
        .where(
            Input.turn_id.is_(None), Input.dropped_at.is_(None), Case.state.not_in([state.value for state in AT_REST])
        )
        .group_by(Input.case_id)
        .order_by(func.min(Input.position))
    )
    return list(found)
