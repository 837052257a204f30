"""The post: takes queued letters to the mail server and records what became of each recipient."""

from datetime import timedelta
from typing import Literal, cast

import structlog
from sqlalchemy import select

from deskworld_desk.cases.docket import DESK, Docket
from deskworld_desk.cases.states import State
from deskworld_desk.cases.tables import Case
from deskworld_desk.desk import Desk
from deskworld_desk.letters.arriving import resume_answers
from deskworld_desk.letters.tables import Letter
from deskworld_desk.letters.threads import Thread, thread_of
from deskworld_desk.letters.unsent import reached_nobody
from deskworld_desk.mail.message import Letter as Message
from deskworld_desk.mail.message import LetterRefused, compose
from deskworld_desk.mail.sender import MailUnavailable, RecipientOutcome, Sender
from deskworld_desk.outage import persistently
from deskworld_desk.timeline.kinds import MailSent, Recipient
from deskworld_kit import clock
from deskworld_kit.telemetry.logs import about

log = structlog.get_logger(__name__)
# seconds; a server that is away is asked again sooner than one that put a letter off
FIRST_PAUSE, LONGEST_PAUSE, LONGEST_PUT_OFF = 0.2, 30.0, 300.0
GIVEN_UP_AFTER = timedelta(days=5)  # RFC 5321, 4.5.4.1


async def resume_letters(desk: Desk) -> None:
    """After a restart or an outage: letters that were queued and not sent, in their order."""
    async with desk.db.transaction() as session:
        left = await session.scalars(select(Letter.id).where(Letter.state == "QUEUED").order_by(Letter.id))
        for letter_id in left:
            desk.outgoing.put(letter_id)


async def deliver(desk: Desk, sender: Sender, letter_id: str) -> None:
    """Sends a queued letter, however long the mail server is away, and records what became of it."""
    async with desk.db.transaction() as session:
        letter = await session.get_one(Letter, letter_id)
        thread = await thread_of(session, letter)
    if letter.state != "QUEUED":
        return
    with about(case_id=letter.case_id):
        posted = await _post(desk, sender, letter, thread)
    if posted is None:
        desk.background.start(_again(desk, letter), name=f"letter {letter_id}, put off")
        return
    raw, outcomes = posted

    async def record() -> None:
        async with desk.dockets.of_case(letter.case_id) as docket:
            sent = await docket.session.get_one(Letter, letter_id)
            if sent.state == "QUEUED":
                await _record(docket, desk, docket.cases[sent.case_id], sent, raw, outcomes)

    # an outage between handing in and recording must not send the letter a second time
    await persistently(record, doing=f"recording letter {letter_id}")


async def _post(
    desk: Desk, sender: Sender, letter: Letter, thread: Thread
) -> tuple[bytes, tuple[RecipientOutcome, ...]] | None:
    """Tries until the server says something about each recipient. None: it put this letter off, and may take others."""
    try:
        raw = _composed(desk, letter, thread)
    except LetterRefused as error:
        return b"", _refused(letter, str(error))
    pause = FIRST_PAUSE
    while True:
        try:
            sent = await sender.send(raw, desk.mail_address, letter.recipients)
        except MailUnavailable as error:
            log.warning("letter waits for the mail server", letter=letter.id, why=str(error))
            if clock.now() - letter.queued_at >= GIVEN_UP_AFTER:
                return raw, _refused(letter, f"nobody took it for {GIVEN_UP_AFTER.days} days: {error}")
            if error.put_off:
                return None
            await clock.pause(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
        except ValueError as error:
            return raw, _refused(letter, str(error))
        else:
            return raw, sent.recipients


async def _again(desk: Desk, letter: Letter) -> None:
    """The longer a letter waits already, the longer the pause (RFC 5321, 4.5.4.1)."""
    waited = (clock.now() - letter.queued_at).total_seconds()
    await clock.pause(min(max(waited, FIRST_PAUSE), LONGEST_PUT_OFF))
    desk.outgoing.put(letter.id)


def _refused(letter: Letter, why: str) -> tuple[RecipientOutcome, ...]:
    return tuple(RecipientOutcome(address, "refused", why) for address in letter.recipients)


def _composed(desk: Desk, letter: Letter, thread: Thread) -> bytes:
    message = Message(
        message_id=letter.message_id,
        sender=desk.mail_address,
        recipients=tuple(letter.recipients),
        subject=letter.subject,
        body=letter.body,
        in_reply_to=thread.in_reply_to,
        references=thread.references,
    )
    return compose(message, letter.queued_at)


async def _record(
    docket: Docket, desk: Desk, case: Case, letter: Letter, raw: bytes, outcomes: tuple[RecipientOutcome, ...]
) -> None:
    taken = any(outcome.outcome == "accepted" for outcome in outcomes)
    letter.state = "SENT" if taken else "UNSENT"
    letter.failed = [outcome.address for outcome in outcomes if outcome.outcome == "refused"]
    letter.awaited = letter.awaited and taken and case.state != State.RESOLVED
    entry = MailSent(
        letter_id=letter.id,
        message_id=letter.message_id,
        to_kind=cast("Literal['vendor', 'buyer']", letter.to_kind),
        recipients=tuple(
            Recipient(address=outcome.address, outcome=outcome.outcome, detail=outcome.detail) for outcome in outcomes
        ),
        subject=letter.subject,
        digest=docket.keep({"raw": raw.decode("latin-1")}),
        turn_id=letter.turn_id,
    )
    letter.sent_seq = docket.write(case, entry, DESK, letter.cause_seq)
    await resume_answers(desk, docket, letter.id)
    if not taken and letter.to_kind == "vendor":
        await reached_nobody(docket, desk, case, letter.sent_seq)
