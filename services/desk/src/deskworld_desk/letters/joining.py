"""Which case a mail belongs to, and whether its sender is somebody the case wrote to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deskworld_desk.letters.tables import Letter
from deskworld_desk.mail.join import known_sender, tokens
from deskworld_desk.mail.parse import Parsed


@dataclass(frozen=True, slots=True)
class Joined:
    case_id: str
    letter_id: str
    to_kind: str
    by: Literal["reference", "token"]
    known: bool


async def join(session: AsyncSession, parsed: Parsed) -> Joined | None:
    """By a reference to a message that the desk sent, or else by the token in the subject; None: it joins no case."""
    by: Literal["reference", "token"] = "reference"
    letter = await _referred(session, tuple(dict.fromkeys((*_ids(parsed.in_reply_to), *parsed.references))))
    if letter is None:
        by = "token"
        letter = await _by_token(session, tokens(parsed.subject))
    if letter is None:
        return None
    written_to = await session.scalars(select(Letter.recipients).where(Letter.case_id == letter.case_id))
    addresses = {address for recipients in written_to for address in recipients}
    known = known_sender(parsed, addresses)
    return Joined(letter.case_id, letter.id, letter.to_kind, by, known)


def _ids(in_reply_to: str | tuple[str, ...] | None) -> tuple[str, ...]:
    if in_reply_to is None:
        return ()
    return (in_reply_to,) if isinstance(in_reply_to, str) else in_reply_to


async def _referred(session: AsyncSession, message_ids: Sequence[str]) -> Letter | None:
    if not message_ids:
        return None
    found = await session.scalars(select(Letter).where(Letter.message_id.in_(message_ids)))
    letters = {letter.message_id: letter for letter in found}
    return next((letters[message_id] for message_id in message_ids if message_id in letters), None)


async def _by_token(session: AsyncSession, found: Sequence[str]) -> Letter | None:
    """A subject with tokens of two cases joins neither."""
    if not found:
        return None
    letters = list(await session.scalars(select(Letter).where(Letter.token.in_(found)).order_by(Letter.id)))
    return letters[-1] if len({letter.case_id for letter in letters}) == 1 else None
