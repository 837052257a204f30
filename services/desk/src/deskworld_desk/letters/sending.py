"""The post: takes queued letters to the mail server and records what became of each recipient."""

from typing import Literal, cast

import structlog
from sqlalchemy import select

from deskworld_desk.cases.docket import DESK, Docket
from deskworld_desk.cases.rules import stop_without_run
from deskworld_desk.cases.states import State
from deskworld_desk.cases.tables import Case
from deskworld_desk.desk import Desk
from deskworld_desk.letters.arriving import resume_answers
from deskworld_desk.letters.tables import Letter
from deskworld_desk.mail.message import Letter as Message
from deskworld_desk.mail.message import LetterRefused, compose
from deskworld_desk.mail.sender import MailUnavailable, RecipientOutcome, Sender
from deskworld_desk.outage import persistently
from deskworld_desk.timeline.kinds import MailSent, Recipient
from deskworld_desk.turns import inputs
from deskworld_kit import clock

log = structlog.get_logger(__name__)
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 30.0


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
    if letter.state != "QUEUED":
        return
    raw, outcomes = await _post(desk, sender, letter)

    async def record() -> None:
        async with desk.dockets.of_case(letter.case_id) as docket:
            sent = await docket.session.get_one(Letter, letter_id)
            if sent.state == "QUEUED":
                await _record(docket, desk, docket.cases[sent.case_id], sent, raw, outcomes)

    # an outage between handing in and recording must not send the letter a second time
    await persistently(record, doing=f"recording letter {letter_id}")


async def _post(desk: Desk, sender: Sender, letter: Letter) -> tuple[bytes, tuple[RecipientOutcome, ...]]:
    """Tries until the server says something about each recipient."""
    try:
        raw = _composed(desk, letter)
    except LetterRefused as error:
        return b"", tuple(RecipientOutcome(address, "refused", str(error)) for address in letter.recipients)
    pause = FIRST_PAUSE
    while True:
        try:
            sent = await sender.send(raw, desk.mail_address, letter.recipients)
        except MailUnavailable as error:
            log.warning("letter waits for the mail server", letter=letter.id, why=str(error))
            await clock.pause(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
        except ValueError as error:
            return raw, tuple(RecipientOutcome(address, "refused", str(error)) for address in letter.recipients)
        else:
            return raw, sent.recipients


def _composed(desk: Desk, letter: Letter) -> bytes:
    message = Message(
        message_id=letter.message_id,
        sender=desk.mail_address,
        recipient=letter.recipients[0],
        subject=letter.subject,
        body=letter.body,
    )
    return compose(message, letter.queued_at)


async def _record(
    docket: Docket, desk: Desk, case: Case, letter: Letter, raw: bytes, outcomes: tuple[RecipientOutcome, ...]
) -> None:
    taken = any(outcome.outcome == "accepted" for outcome in outcomes)
    letter.state = "SENT" if taken else "UNSENT"
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
    if taken or letter.to_kind != "vendor" or case.state == State.RESOLVED:
        return
    if case.owner == "rules":
        await stop_without_run(docket, desk, case, reason="unsent", cause=letter.sent_seq)
    else:
        if case.state == State.AWAITING_ANSWER:
            docket.move(case, State.INVESTIGATING, "the letter reached nobody", letter.sent_seq)
        inputs.tell(docket, desk, case, inputs.note("desk", "The letter reached nobody."), letter.sent_seq)
