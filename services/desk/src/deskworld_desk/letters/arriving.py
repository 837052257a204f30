"""Mail that comes in: kept byte for byte first, then joined to a case or set aside, then read, then told."""

import asyncio
from functools import partial

import structlog
from sqlalchemy import Select, select
from sqlalchemy.dialects.postgresql import Insert, insert

from deskworld_desk.cases.docket import DESK, Docket
from deskworld_desk.cases.states import State
from deskworld_desk.cases.tables import Case
from deskworld_desk.desk import Desk
from deskworld_desk.letters.joining import Joined, join
from deskworld_desk.letters.reading import read_and_tell
from deskworld_desk.letters.tables import Letter, Mail
from deskworld_desk.mail.listener import Incoming
from deskworld_desk.mail.parse import Parsed, parse
from deskworld_desk.mail.trace import identity
from deskworld_desk.outage import persistently
from deskworld_desk.timeline.kinds import Actor, MailReceived, MailSetAside
from deskworld_kit import clock, ids
from deskworld_kit.outage import is_outage

log = structlog.get_logger(__name__)
SHORT = 100_000  # octets
UNDONE = ("STORED", "JOINED")


async def last_position(desk: Desk) -> tuple[int, int] | None:
    """UIDVALIDITY and UID of the last message that was kept."""
    async with desk.db.transaction() as session:
        found = await session.execute(select(Mail.uidvalidity, Mail.uid).order_by(Mail.id.desc()).limit(1))
        row = found.one_or_none()
    return (row[0], row[1]) if row else None


async def take_mail(desk: Desk, incoming: Incoming) -> None:
    """Returns once the message is kept; what follows is picked up again after a restart. An outage says nothing about
    the message, so it is outlasted here."""
    mail_id = await persistently(partial(_keep, desk, incoming), doing=f"keeping message {incoming.uid}")
    if mail_id is not None:
        start_mail(desk, mail_id)


async def _keep(desk: Desk, incoming: Incoming) -> str | None:
    """The id of the mail while there is work to do on it. It may have been kept by a try whose commit nobody heard."""
    async with desk.db.transaction() as session:
        await session.execute(_stored(ids.new_id(), incoming))
        return await session.scalar(_at(incoming).where(Mail.state.in_(UNDONE)))


def _at(incoming: Incoming) -> Select[str]:
    return select(Mail.id).where(Mail.uidvalidity == incoming.uidvalidity, Mail.uid == incoming.uid)


def _stored(mail_id: str, incoming: Incoming) -> Insert:
    """Once per place in the mailbox, however often it is told."""
    values = {
        "id": mail_id,
        "uidvalidity": incoming.uidvalidity,
        "uid": incoming.uid,
        "raw": incoming.raw,
        "size": incoming.size,
        "digest": identity(incoming.raw),
        "state": "STORED",
        "received_at": clock.now(),
    }
    return insert(Mail).values(values).on_conflict_do_nothing()


def start_mail(desk: Desk, mail_id: str, *, name: str | None = None) -> None:
    """Whatever breaks on one message, a person sees the message and the next one follows."""

    async def work() -> None:
        try:
            await _work(desk, mail_id)
        except Exception as error:
            if is_outage(error):
                raise
            log.exception("mail broke", mail=mail_id)
            await _set_aside(desk, mail_id, None, "unreadable")

    name = name or f"mail {mail_id}"
    if desk.background.running(name) is None:
        desk.background.start_due(work, name=name)


async def resume_mail(desk: Desk) -> None:
    """After a restart or an outage: mail that was kept and not worked to its end, in the order in which it came."""
    async with desk.db.transaction() as session:
        left = await session.scalars(select(Mail.id).where(Mail.state.in_(UNDONE)).order_by(Mail.id))
        for mail_id in left:
            start_mail(desk, mail_id)


async def _work(desk: Desk, mail_id: str) -> None:
    async with desk.db.transaction() as session:
        mail = await session.get_one(Mail, mail_id)
    if mail.state == "STORED" and not mail.raw and mail.size:
        await _set_aside(desk, mail_id, None, "too-large")
        return
    # a long one takes its time to parse, and nobody else should wait for it
    parsed = parse(mail.raw) if len(mail.raw) < SHORT else await asyncio.to_thread(parse, mail.raw)
    if mail.state == "STORED":
        if parsed.unreadable is not None:
            await _set_aside(desk, mail_id, parsed, "unreadable")
            return
        if not await _receive(desk, mail_id, parsed):
            return
    await read_and_tell(desk, mail_id, parsed.text)


async def set_aside_unread(desk: Desk, incoming: Incoming, _error: Exception) -> None:
    """A message that could not be kept in the usual way three times: only its octets are kept, and a person is told."""
    async with desk.db.transaction() as session:
        await session.execute(_stored(ids.new_id(), incoming))
        kept = await session.scalar(_at(incoming))
    if kept is not None:
        await _set_aside(desk, kept, None, "unreadable")


async def _receive(desk: Desk, mail_id: str, parsed: Parsed) -> bool:
    """Joins the mail to its case. True when it is to be read."""
    async with desk.db.transaction() as session:
        joined = await join(session, parsed)
    if joined is None:
        await _set_aside(desk, mail_id, parsed, "unmatched")
        return False
    async with desk.dockets.of_case(joined.case_id) as docket:
        case = docket.cases[joined.case_id]
        mail = await docket.session.get_one(Mail, mail_id)
        if mail.state != "STORED":
            return False
        mail.message_id = parsed.message_id
        if await _repeated(docket, mail):
            mail.state = "REPEATED"
            return False
        mail.letter_id = joined.letter_id
        letter = await docket.session.get_one(Letter, joined.letter_id)
        if letter.state == "QUEUED":
            # quicker than the record of its letter: `resume_answers` goes on when that is there, its cause
            return False
        return _record(docket, case, mail, parsed, joined, letter.sent_seq)


async def resume_answers(desk: Desk, docket: Docket, letter_id: str) -> None:
    """Once the docket is closed: mail that waited for the record of this letter."""
    waited = await docket.session.scalars(select(Mail.id).where(Mail.letter_id == letter_id, Mail.state == "STORED"))
    for mail_id in waited:
        # under a name of its own: the work that left it waiting may still be about to end
        docket.after(partial(start_mail, desk, mail_id, name=f"mail {mail_id}, its letter recorded"))


async def _repeated(docket: Docket, mail: Mail) -> bool:
    """The same Message-ID and the same octets are the same message, however often and by whatever way it comes."""
    other = await docket.session.scalar(
        select(Mail.id)
        .where(
            Mail.digest == mail.digest,
            Mail.message_id == mail.message_id,
            Mail.id != mail.id,
            Mail.state.in_(("JOINED", "DONE", "ASIDE")),
        )
        .limit(1)
    )
    return other is not None


def _record(docket: Docket, case: Case, mail: Mail, parsed: Parsed, joined: Joined, cause: int | None) -> bool:
    entry = MailReceived(
        mail_id=mail.id,
        message_id=parsed.message_id,
        digest=docket.keep({"raw": mail.raw.decode("latin-1")}),
        envelope_from=parsed.envelope_from,
        sender="known" if joined.known else "stranger",
        joined_by=joined.by,
        letter_id=joined.letter_id,
        class_=parsed.kind,
    )
    actor = Actor(type="vendor", id=parsed.envelope_from or "unknown")
    mail.seq = docket.write(case, entry, actor, cause)
    mail.case_id, mail.sender = case.id, entry.sender
    # a resolved case tells nobody; a buyer answers at the workbench, not by mail
    read = parsed.kind == "answer" and joined.to_kind == "vendor" and case.state != State.RESOLVED
    mail.state = "JOINED" if read else "DONE"
    return read


async def _set_aside(desk: Desk, mail_id: str, parsed: Parsed | None, why: str) -> None:
    async with desk.dockets.of_record(None) as docket:
        mail = await docket.session.get_one(Mail, mail_id)
        if mail.state != "STORED":
            return
        mail.message_id = parsed.message_id if parsed else None
        if parsed is not None and await _repeated(docket, mail):
            mail.state = "REPEATED"
            return
        mail.state = "ASIDE"
        entry = MailSetAside.model_validate(
            {
                "mail_id": mail.id,
                "message_id": mail.message_id,
                "digest": docket.keep({"raw": mail.raw.decode("latin-1")}),
                "envelope_from": parsed.envelope_from if parsed else None,
                "why": why,
            }
        )
        docket.write_own(entry, DESK)
