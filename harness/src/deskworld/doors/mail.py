"""Everybody outside the company: one mailbox watched over IMAP, and letters handed in by SMTP."""

import asyncio
import email
import hashlib
from collections.abc import Callable
from email.message import EmailMessage, Message
from email.utils import format_datetime

import aiosmtplib

from deskworld.doors import clock, mailbox
from deskworld.doors.patience import AWAY_SECONDS, Patience
from deskworld.errors import DoorFailed
from deskworld.values.record import MailSeen
from deskworld.values.stack import Stack

LOGIN = "counterparties"
STOOD_SECONDS = 10.0


class Outside:
    """The counterparties' mailbox, from its end at `open`, and their way to send."""

    def __init__(
        self,
        stack: Stack,
        *,
        on_mail: Callable[[MailSeen], None],
        on_broken: Callable[[str], None],
        away: float = AWAY_SECONDS,
    ) -> None:
        """A mail server that is away is tried again for `away` seconds; `on_broken` is told of a longer absence."""
        self._stack = stack
        self._hearing, self._handing_in = Patience(away), Patience(away)
        self._on_mail = on_mail
        self._on_broken = on_broken
        password = stack.secrets.counterparty_mailbox
        self._mailbox = mailbox.Mailbox(stack.imap, LOGIN, password, on_message=self._heard)
        self._last = "no answer yet"
        self._opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task: asyncio.Task[None] | None = None
        self._smtp = aiosmtplib.SMTP(hostname=stack.smtp.host, port=stack.smtp.port, timeout=20, start_tls=False)
        self._sending = asyncio.Lock()

    async def open(self, within: float = 10.0) -> None:
        """Returns once the mailbox is being watched. Raises DoorFailed."""
        self._task = asyncio.create_task(self._watch(), name="counterparties' mailbox")
        try:
            await asyncio.wait_for(asyncio.shield(self._opened), within)
        except TimeoutError:
            await self.close()
            raise DoorFailed(
                f"IMAP: awaited the mailbox {LOGIN} for {within:.0f} s; last seen: {self._last}",
                next_step="is the mail server up, and is the stack's counterparty_mailbox its password?",
            ) from None

    async def close(self) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.wait({self._task})
        if self._smtp.is_connected:
            self._smtp.close()

    async def send(self, letter: bytes, *, sender: str, recipient: str) -> None:
        """Hands a letter in at the door without login; again, when its answer was lost: a letter is known by its
        Message-ID, and one that comes twice is one. Raises DoorFailed when it was not accepted."""
        async with self._sending:
            last: aiosmtplib.SMTPException | OSError | None = None
            async for _ in self._handing_in.tries():
                try:
                    await self._hand_in(letter, sender, recipient)
                except (aiosmtplib.SMTPException, OSError) as error:
                    last = error
                    self._smtp.close()
                    if not _is_away(error):
                        raise DoorFailed(
                            f"SMTP: letter from {sender} to {recipient} was not accepted: {error}"
                        ) from error
                else:
                    self._handing_in.met()
                    return
            raise DoorFailed(f"SMTP: no connection to hand in a letter from {sender}: {last}") from last

    async def _hand_in(self, letter: bytes, sender: str, recipient: str) -> None:
        if not self._smtp.is_connected:
            await self._smtp.connect()
        await self._smtp.sendmail(sender, [recipient], letter)

    async def _watch(self) -> None:
        while True:
            why = ""
            async for _ in self._hearing.tries():
                began = clock.monotonic()
                why = self._last = await self._until_lost()
                if clock.monotonic() - began > STOOD_SECONDS:
                    self._hearing.met()
                    break
            else:
                self._give_up(f"IMAP: the mailbox {LOGIN} has been away for {self._hearing.seconds:.0f} s; last: {why}")
                return

    async def _until_lost(self) -> str:
        try:
            await self._mailbox.session(self._is_open)
        except mailbox.LOST as error:
            return f"{type(error).__name__} {error}"
        except DoorFailed as error:
            return error.what
        return "the server ended it"

    def _give_up(self, problem: str) -> None:
        if not self._opened.done():
            self._opened.set_exception(DoorFailed(problem))
        self._on_broken(problem)

    def _heard(self, raw: bytes) -> None:
        self._on_mail(_seen(raw))

    def _is_open(self) -> None:
        if not self._opened.done():
            self._opened.set_result(None)


def _is_away(error: aiosmtplib.SMTPException | OSError) -> bool:
    """Nobody there, a line that broke, or an answer that speaks of now (RFC 5321, 4.2.1: 4yz)."""
    match error:
        case aiosmtplib.SMTPRecipientsRefused(recipients=[first, *_]):
            return _temporary(first.code)
        case aiosmtplib.SMTPResponseException(code=code):
            return _temporary(code)
    return True


def _temporary(code: int) -> bool:
    return 400 <= code < 500


def envelope_recipient(message: Message) -> str:
    """From what the server put on top: To is the sender's claim, and so is whatever stands further down. A server that
    delivers all into one mailbox may name that first, under a domain that nobody has (RFC 2606)."""
    for name, value in message.items():
        if name.lower() in ("delivered-to", "x-envelope-to"):
            address = str(value).strip().strip("<>").lower()
            if not address.endswith(".invalid"):
                return address
    return ""


def _seen(raw: bytes) -> MailSeen:
    message = email.message_from_bytes(raw)
    return MailSeen(
        message_id=str(message.get("Message-ID", "")).strip(),
        recipient=envelope_recipient(message),
        in_reply_to=str(message["In-Reply-To"]).strip() if message["In-Reply-To"] else None,
        subject=str(message.get("Subject", "")),
        digest=hashlib.sha256(raw).hexdigest(),
    )


def letter(
    *, message_id: str, sender: str, recipient: str, subject: str, text: str, answers: MailSeen | None = None
) -> bytes:
    """A plain letter (RFC 5322), as a vendor's mail program writes it; an answer refers to what it `answers`."""
    written = EmailMessage()
    written["From"] = sender
    written["To"] = recipient
    written["Subject"] = subject
    written["Date"] = format_datetime(clock.now())
    written["Message-ID"] = message_id
    if answers is not None:
        written["In-Reply-To"] = answers.message_id
        written["References"] = answers.message_id
    written.set_content(text)
    return written.as_bytes()
