"""Mail that was kept is joined to its case or set aside, one after the other in the order in which it came: an answer
may go on from the one before. What joined is then read, case by case.
"""

import asyncio
from collections.abc import Callable
from functools import partial

import structlog
from sqlalchemy import select

from deskworld_desk.cases.docket import Docket
from deskworld_desk.cases.states import State
from deskworld_desk.cases.tables import Case
from deskworld_desk.desk import Desk
from deskworld_desk.letters.bouncing import bounced
from deskworld_desk.letters.joining import Joined, join
from deskworld_desk.letters.keeping import UNDONE
from deskworld_desk.letters.parsing import parsed_of
from deskworld_desk.letters.reading import read_joined
from deskworld_desk.letters.setting_aside import Why, repeated, set_aside
from deskworld_desk.letters.tables import Letter, Mail
from deskworld_desk.mail.parse import Parsed
from deskworld_desk.timeline.kinds import Actor, MailMarked, MailReceived
from deskworld_kit.outage import is_outage

log = structlog.get_logger(__name__)


class Arrivals:
    """The worker at the desk's incoming mail. What breaks on one message, a person sees, and the next follows."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._reading: dict[str, asyncio.Task[None]] = {}

    async def work(self, mail_id: str) -> None:
        try:
            case_id = await _receive(self._desk, mail_id)
        except Exception as error:
            if is_outage(error):
                raise
            log.exception("mail broke", mail=mail_id)
            await set_aside(self._desk, mail_id, None, "unreadable")
            return
        if case_id is not None:
            self._read(case_id)

    def _read(self, case_id: str) -> None:
        """A reader may take its time: other cases do not wait for it, and the mails of one are read in their order."""
        before = self._reading.get(case_id)

        async def work() -> None:
            if before is not None:
                await asyncio.wait([before])
            await read_joined(self._desk, case_id)

        task = self._desk.background.start_due(work, name=f"reading mail of case {case_id}")
        self._reading[case_id] = task
        task.add_done_callback(partial(self._was_read, case_id))

    def _was_read(self, case_id: str, task: "asyncio.Task[None]") -> None:
        if self._reading.get(case_id) is task:
            del self._reading[case_id]


async def resume_mail(desk: Desk) -> None:
    """After a restart or an outage: mail that was kept and not worked to its end, in the order in which it came."""
    async with desk.db.transaction() as session:
        left = await session.scalars(select(Mail.id).where(Mail.state.in_(UNDONE)).order_by(Mail.id))
        for mail_id in left:
            desk.incoming.put(mail_id)


async def resume_answers(desk: Desk, docket: Docket, letter_id: str) -> None:
    """Once the docket is closed: mail that waited for the record of this letter."""
    waited = await docket.session.scalars(
        select(Mail.id).where(Mail.letter_id == letter_id, Mail.state == "STORED").order_by(Mail.id)
    )
    for mail_id in waited:
        docket.after(_put(desk, mail_id))


def _put(desk: Desk, mail_id: str) -> Callable[[], None]:
    return lambda: desk.incoming.put(mail_id)


async def _receive(desk: Desk, mail_id: str) -> str | None:
    """The case that now has something to read."""
    async with desk.db.transaction() as session:
        mail = await session.get_one(Mail, mail_id)
    if mail.state != "STORED":
        return mail.case_id if mail.state == "JOINED" else None
    parsed = await parsed_of(mail)
    async with desk.db.transaction() as session:
        joined = await join(session, parsed)
    if joined is None:
        await set_aside(desk, mail_id, parsed, _why(mail, parsed))
        return None
    async with desk.dockets.of_case(joined.case_id) as docket:
        mail = await docket.session.get_one(Mail, mail_id)
        if mail.state != "STORED":
            return None
        mail.message_id = parsed.message_id
        if await repeated(docket, mail):
            mail.state = "REPEATED"
            return None
        mail.letter_id = joined.letter_id
        letter = await docket.session.get(Letter, joined.letter_id) if joined.letter_id else None
        if letter is not None and letter.state == "QUEUED":
            # quicker than the record of its letter: `resume_answers` goes on when that is there, its cause
            return None
        actor = Actor(type="vendor", id=parsed.envelope_from or "unknown")
        read = await record(docket, desk, docket.cases[joined.case_id], mail, parsed, joined, actor)
    return joined.case_id if read else None


async def record(
    docket: Docket, desk: Desk, case: Case, mail: Mail, parsed: Parsed, joined: Joined, actor: Actor
) -> bool:
    """Tells the case of a mail that joined it, and gives whether it is to be read."""
    letter = await docket.session.get(Letter, joined.letter_id) if joined.letter_id else None
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
    mail.seq = docket.write(case, entry, actor, letter.sent_seq if letter else None)
    mail.case_id, mail.letter_id = case.id, joined.letter_id
    mail.sender, mail.joined_by, mail.message_id = entry.sender, joined.by, parsed.message_id
    if marks := marks_of(mail, parsed):
        docket.write(case, MailMarked(mail_id=mail.id, marks=marks), Actor(type="desk", id="mail"), mail.seq)
    if parsed.kind == "bounce" and letter is not None:
        await bounced(docket, desk, case, letter, mail, parsed)
    # a resolved case tells nobody; a buyer answers at the workbench, not by mail
    read = parsed.kind == "answer" and joined.to_kind == "vendor" and case.state != State.RESOLVED
    mail.state = "JOINED" if read else "DONE"
    return read


def _why(mail: Mail, parsed: Parsed) -> Why:
    if not mail.whole:
        return "too-large"
    return "unmatched" if parsed.unreadable is None else "unreadable"


def marks_of(mail: Mail, parsed: Parsed) -> tuple[str, ...]:
    """What makes the words of a mail doubtful, for a person to see."""
    unread = "too-large" if not mail.whole else "unreadable"
    return (*parsed.defects, *((unread,) if parsed.unreadable is not None else ()))
