"""The mail of a desk in this process: what a listener would hand over, worked to its end before the test goes on."""

import itertools
from dataclasses import dataclass, field
from typing import Any

from tests.support.correspondence import DESK, message
from tests.support.desk_inside import Inside

from deskworld_desk.letters.arriving import Arrivals
from deskworld_desk.letters.keeping import set_aside_unread, take_mail
from deskworld_desk.letters.writing import queue_letter
from deskworld_desk.mail.listener import Incoming
from deskworld_desk.world import LetterDraft
from deskworld_kit.ids import new_id

VENDOR = "ap@muster.example"
_numbers = itertools.count(1)
_ANOTHER_MAILBOX = 1_000_000
"""Its messages' numbers never meet those that a mailroom counts."""


@dataclass
class Mailroom:
    core: Inside
    validity: int = 1
    _arrivals: Arrivals = field(init=False)

    def __post_init__(self) -> None:
        self._arrivals = Arrivals(self.core.desk)

    async def take(self, raw: bytes, *, size: int | None = None, whole: bool = True, uid: int | None = None) -> None:
        """As the listener hands it over; nothing has been done with it when this returns."""
        number = uid or next(_numbers)
        await take_mail(self.core.desk, Incoming(self.validity, number, raw, size or len(raw), whole))

    async def poison(self, raw: bytes, *, uid: int | None = None) -> None:
        incoming = Incoming(self.validity, uid or next(_numbers), raw, len(raw))
        await set_aside_unread(self.core.desk, incoming, ValueError("it broke the desk"))

    async def work(self) -> None:
        queue = self.core.desk.incoming._queue
        while not queue.empty():
            await self._arrivals.work(queue.get_nowait())
            await self.core.quiet()

    async def deliver(self, *messages: bytes) -> None:
        for raw in messages:
            await self.take(raw)
        await self.work()

    async def write(self, case_id: str, *to: str, to_kind: Any = "vendor", subject: str = "Which order?") -> Any:
        """A letter of the case that the post took; gives the data of its row."""
        await self.queue(case_id, *to, to_kind=to_kind, subject=subject)
        await self.core.quiet()
        return (await self.core.rows(case_id, "mail.sent"))[-1]["data"]

    async def queue(self, case_id: str, *to: str, to_kind: Any = "vendor", subject: str = "Which order?") -> str:
        async with self.core.desk.dockets.of_case(case_id) as docket:
            draft = LetterDraft(to or (VENDOR,), subject, "Please name the order.", {})
            case = docket.cases[case_id]
            return queue_letter(docket, self.core.desk, case, draft, to_kind=to_kind, turn_id=None, cause=case.seq).id

    async def state(self, case_id: str, *states: str) -> None:
        """Puts a case into this state, for what comes next."""
        await self.core.sql("UPDATE cases SET state = $2 WHERE id = $1", case_id, *states)


async def mail_aside(core: Inside, text: str, *, subject: str = "Hello") -> str:
    """A mail that joined no case and waits for a manager; gives its id."""
    mail_id = new_id()
    fields = ("From: a@b.outside.example", f"Subject: {subject}", f"Message-ID: <{mail_id}@b>")
    raw = message(text, *fields)
    await core.sql(
        "INSERT INTO mails (id, uidvalidity, uid, raw, size, digest, state, why, received_at) "
        "VALUES ($1, $2, $3, $4, $5, $1, 'ASIDE', 'unmatched', now())",
        mail_id,
        _ANOTHER_MAILBOX,
        next(_numbers),
        raw,
        len(raw),
    )
    return mail_id


def reply(body: str, *fields: str, answers: str | None = None, of: str = VENDOR, path: str | None = None) -> bytes:
    """A mail as a mailbox holds it: with the path that the server put on top."""
    own = (f"From: {of}", f"To: {DESK}", f"Message-ID: <{new_id()}@muster.example>")
    named = (f"In-Reply-To: {answers}",) if answers else ()
    subject = () if any(each.startswith("Subject") for each in fields) else ("Subject: an answer",)
    return message(body, f"Return-Path: <{of if path is None else path}>", *own, *subject, *named, *fields)
