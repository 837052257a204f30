"""What an agent is told of its case at the head of a turn. Ids in a brief ground nothing."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import select

from deskworld_desk.cases.docket import Docket
from deskworld_desk.cases.states import State
from deskworld_desk.cases.tables import Case
from deskworld_desk.letters.tables import Letter
from deskworld_desk.questions.tables import Question
from deskworld_desk.turns.tables import Handle
from deskworld_desk.world import HandleBook, World


async def handle_book(docket: Docket, case: Case) -> HandleBook:
    rows = await docket.session.execute(select(Handle.handle, Handle.record_id).where(Handle.case_id == case.id))
    return HandleBook(dict(rows.all()))


def keep_handles(docket: Docket, case: Case, book: HandleBook) -> None:
    docket.session.add_all(
        Handle(case_id=case.id, handle=handle, record_id=record_id) for handle, record_id in book.fresh.items()
    )


async def brief(docket: Docket, world: World, case: Case, book: HandleBook) -> dict[str, Any]:
    question = await docket.session.scalar(
        select(Question.id).where(Question.case_id == case.id, Question.state == "OPEN")
    )
    letter = await docket.session.scalar(
        select(Letter.id).where(Letter.case_id == case.id, Letter.state.in_(("QUEUED", "SENT")), Letter.awaited)
    )
    siblings = sorted((one for one in docket.cases.values() if one.id != case.id), key=lambda one: one.id)
    return {
        "exception": {
            "id": case.id,
            "handle": book.name("exception", case.id),
            "reason": case.reason,
            "amount": case.amount,
            "currency": case.currency,
            "summary": world.summary(case.reason),
        },
        "siblings": _siblings(siblings),
        "invoice": {
            "id": case.record_id,
            "handle": book.name("invoice", case.record_id),
            "status": case.record_status,
            "version": case.record_version,
        },
        "vendor": {"id": case.party_id, "handle": book.name("vendor", case.party_id)},
        "po_reference": world.brief_reference(case.opening),
        "held": case.held,
        "open_question": question,
        "open_letter": letter,
        "declined": [
            {
                "action": one["action"],
                "words": one["words"],
                "reason": None if one["how"] == "words" else one["how"],
            }
            for one in case.declined
        ],
    }


def _siblings(siblings: Iterable[Case]) -> list[dict[str, Any]]:
    return [{"id": one.id, "reason": one.reason, "held": one.held} for one in siblings if one.state != State.RESOLVED]
