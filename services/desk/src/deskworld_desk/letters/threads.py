"""Which thread a letter goes on with, so that mail programs show it where it belongs (RFC 5322, 3.6.4)."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deskworld_desk.letters.tables import Letter, Mail
from deskworld_desk.mail.message import can_refer_to


@dataclass(frozen=True, slots=True)
class Thread:
    """`references` end with `in_reply_to`, oldest first."""

    in_reply_to: str | None = None
    references: tuple[str, ...] = ()


async def thread_of(session: AsyncSession, letter: Letter) -> Thread:
    """What this case wrote to the same people and what they answered, before this letter was queued. Strangers' mail is
    no part of it: whoever answers this letter must not be led to what somebody else wrote."""
    sent = await session.execute(
        select(Letter.id, Letter.message_id, Letter.recipients).where(
            Letter.case_id == letter.case_id,
            Letter.to_kind == letter.to_kind,
            Letter.state == "SENT",
            Letter.id < letter.id,
        )
    )
    same = [(own_id, message_id) for own_id, message_id, to in sent if to == letter.recipients]
    answers = await session.execute(
        select(Mail.id, Mail.message_id).where(
            Mail.case_id == letter.case_id,
            Mail.letter_id.in_([own_id for own_id, _ in same]),
            Mail.sender == "known",
            Mail.received_at < letter.queued_at,
        )
    )
    known = [(mail_id, message_id) for mail_id, message_id in answers if message_id is not None]
    # ids are UUIDv7, in the order of time
    ids = tuple(dict.fromkeys(each for _, each in sorted([*same, *known]) if can_refer_to(each)))
    return Thread(ids[-1] if ids else None, ids)
