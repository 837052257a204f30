"""Which case a mail belongs to, and whether its sender is somebody the case wrote to.

Evidence in its order, the first that is there counts: the message that it answers or brings back, the thread that its
subject belongs to, the subject's token. What points to two cases points to none, and no case is ever guessed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from deskworld_desk.letters.tables import Letter, Mail
from deskworld_desk.mail.join import bare_subject, known_sender, tokens
from deskworld_desk.mail.parse import Parsed

By = Literal["reference", "token", "person"]


@dataclass(frozen=True, slots=True)
class Joined:
    """`letter_id` is None where the mail goes on from one that a person joined to the case, and from no letter."""

    case_id: str
    letter_id: str | None
    to_kind: str
    by: By
    known: bool


@dataclass(frozen=True, slots=True)
class _Found:
    case_id: str
    letter_id: str | None
    to_kind: str


async def join(session: AsyncSession, parsed: Parsed) -> Joined | None:
    """None: it joins no case."""
    by: By = "reference"
    found = await _referred(session, parsed)
    if found is None:
        by = "token"
        found = await _by_token(session, tokens(parsed.subject))
    if found is None:
        return None
    known = known_sender(parsed, await written_to(session, found.case_id))
    return Joined(found.case_id, found.letter_id, found.to_kind, by, known)


async def written_to(session: AsyncSession, case_id: str) -> set[str]:
    """Every address that this case wrote to."""
    lists = await session.scalars(select(Letter.recipients).where(Letter.case_id == case_id))
    return {address for recipients in lists for address in recipients}


async def _referred(session: AsyncSession, parsed: Parsed) -> _Found | None:
    if parsed.kind == "bounce":
        # what a mail server writes has a subject of its own
        named = (parsed.returned, parsed.in_reply_to, parsed.references)
        for letters in [await _letters(session, ids) for ids in named]:
            if letters:
                return _one_case(map(_of_letter, letters))
        return None
    answered = await _letters(session, parsed.in_reply_to)
    if answered:
        return _one_case(map(_of_letter, answered))
    if earlier := await _mails(session, parsed.in_reply_to):
        return _one_case(await _of_mails(session, earlier))
    # references are kept by clients that begin something new in an old thread: there the subject must be the thread's
    bare = bare_subject(parsed.subject)
    thread = [each for each in await _letters(session, parsed.references) if bare_subject(each.subject) == bare]
    return _one_case(map(_of_letter, thread))


async def _letters(session: AsyncSession, message_ids: Sequence[str]) -> list[Letter]:
    """Those that the desk sent, the one named first at the head."""
    if not message_ids:
        return []
    found = await session.scalars(select(Letter).where(Letter.message_id.in_(message_ids)))
    return sorted(found, key=lambda letter: message_ids.index(letter.message_id))


async def _mails(session: AsyncSession, message_ids: Sequence[str]) -> list[Mail]:
    """Mail that is gone on from: of a known sender, or joined by a person. A stranger's is no way into a case."""
    if not message_ids:
        return []
    found = await session.scalars(
        select(Mail).where(
            Mail.message_id.in_(message_ids),
            Mail.state.in_(("JOINED", "DONE")),
            or_(Mail.sender == "known", Mail.joined_by == "person"),
        )
    )
    return sorted(found, key=lambda mail: message_ids.index(mail.message_id or ""))


async def _by_token(session: AsyncSession, found: Sequence[str]) -> _Found | None:
    if not found:
        return None
    letters = await session.scalars(select(Letter).where(Letter.token.in_(found)).order_by(Letter.id.desc()))
    return _one_case(map(_of_letter, letters))


def _of_letter(letter: Letter) -> _Found:
    return _Found(letter.case_id, letter.id, letter.to_kind)


async def _of_mails(session: AsyncSession, mails: Iterable[Mail]) -> list[_Found]:
    found = []
    for mail in mails:
        letter = await session.get(Letter, mail.letter_id) if mail.letter_id else None
        found.append(_Found(mail.case_id or "", mail.letter_id, letter.to_kind if letter else "vendor"))
    return found


def _one_case(found: Iterable[_Found]) -> _Found | None:
    """The first of them, if all are of one case."""
    all_of_them = list(found)
    return all_of_them[0] if len({each.case_id for each in all_of_them}) == 1 else None
