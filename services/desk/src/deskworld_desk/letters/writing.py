"""A letter of a case is queued in the transaction that wants it; the post takes it from there."""

from datetime import timedelta
from typing import Literal

from sqlalchemy import bindparam, func, select

from deskworld_desk.cases.docket import Docket
from deskworld_desk.cases.office_time import office_now
from deskworld_desk.cases.tables import Case
from deskworld_desk.desk import Desk
from deskworld_desk.letters.tables import Letter
from deskworld_desk.mail.message import subject_token, with_token
from deskworld_desk.world import LetterDraft
from deskworld_kit import clock, ids
from deskworld_kit.plans import constant

LETTERS_PER_CASE = 3  # and kind of recipient
OFFICE_DEADLINE = timedelta(days=5)
ToKind = Literal["vendor", "buyer"]
_WRITTEN = constant(
    select(func.count())
    .select_from(Letter)
    .where(Letter.case_id == bindparam("case_id"), Letter.to_kind == bindparam("to_kind"))
)


async def letters_written(docket: Docket, case: Case, to_kind: ToKind) -> int:
    return await docket.session.scalar(_WRITTEN, {"case_id": case.id, "to_kind": to_kind}) or 0


def queue_letter(
    docket: Docket,
    desk: Desk,
    case: Case,
    draft: LetterDraft,
    *,
    to_kind: ToKind,
    turn_id: str | None,
    cause: int,
    letter_id: str | None = None,
) -> Letter:
    """A letter to the vendor awaits an answer; a notice to a buyer does not."""
    token = subject_token(desk.random)
    own_id, now = letter_id or ids.new_id(), clock.now()
    letter = Letter(
        id=own_id,
        case_id=case.id,
        to_kind=to_kind,
        recipients=list(draft.recipients),
        subject=with_token(draft.subject, token),
        body=draft.body,
        token=token,
        message_id=f"<{own_id}@{desk.mail_address.rpartition('@')[2]}>",
        turn_id=turn_id,
        state="QUEUED",
        awaited=to_kind == "vendor",
        queued_at=now,
        due_at=office_now(case) + OFFICE_DEADLINE,
        cause_seq=cause,
    )
    docket.session.add(letter)
    docket.show(case)
    docket.after(lambda: desk.outgoing.put(own_id))
    return letter


def staff_address(desk: Desk, username: str) -> str:
    return f"{username}@staff.{desk.mail_address.rpartition('@')[2]}"
