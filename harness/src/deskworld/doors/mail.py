"""Everybody outside the company: one mailbox read over one IMAP IDLE connection, and letters handed in by SMTP."""

import asyncio
import email
import hashlib
import itertools
from collections.abc import Callable
from email.message import EmailMessage, Message
from email.utils import format_datetime

import aiosmtplib
from aioimaplib import aioimaplib

from deskworld.doors import clock
from deskworld.errors import DoorFailed
from deskworld.values.record import MailSeen
from deskworld.values.stack import Stack

LOGIN = "counterparties"
IDLE_SECONDS = 20.0
"""RFC 2177 asks for less than 29 minutes. The client library drops an EXISTS that comes inside a FETCH, so a message
that arrives in that very moment is seen at the next re-issue instead of being pushed."""
RECONNECTS = 20
FAILURES = (aioimaplib.Error, aioimaplib.Abort, OSError, TimeoutError, asyncio.IncompleteReadError)


class Outside:
    """The counterparties' mailbox, from its end at `open`, and their way to send."""

    def __init__(self, stack: Stack, *, on_mail: Callable[[MailSeen], None], on_broken: Callable[[str], None]) -> None:
        self._stack = stack
        self._on_mail = on_mail
        self._on_broken = on_broken
        self._next_uid: int | None = None
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
        """Hands a letter in at the door without login. Raises DoorFailed when it was not accepted."""
        async with self._sending:
            for last in (False, True):
                try:
                    if not self._smtp.is_connected:
                        await self._smtp.connect()
                    await self._smtp.sendmail(sender, [recipient], letter)
                except (aiosmtplib.SMTPServerDisconnected, aiosmtplib.SMTPConnectError) as error:
                    self._smtp.close()
                    if last:
                        raise DoorFailed(f"SMTP: no connection to hand in a letter from {sender}: {error}") from error
                except aiosmtplib.SMTPException as error:
                    raise DoorFailed(f"SMTP: letter from {sender} to {recipient} was not accepted: {error}") from error
                else:
                    return

    async def _watch(self) -> None:
        failures = 0
        while failures < RECONNECTS:
            try:
                await self._session()
                why = "the server ended it"
            except FAILURES as error:
                why = f"{type(error).__name__} {error}"
            except DoorFailed as error:
                why = error.what
            self._last = why
            failures += 1
            await clock.pause(min(0.05 * 2**failures, 1.0))
        problem = f"IMAP: mailbox {LOGIN} broke {failures} times; last: {why}"
        if not self._opened.done():
            self._opened.set_exception(DoorFailed(problem))
        self._on_broken(problem)

    async def _session(self) -> None:
        imap = aioimaplib.IMAP4(host=self._stack.imap.host, port=self._stack.imap.port, timeout=15)
        try:
            await imap.wait_hello_from_server()
            _ok(await imap.login(LOGIN, self._stack.secrets.counterparty_mailbox), "LOGIN")
            _ok(await imap.select("INBOX"), "SELECT")
            if self._next_uid is None:
                self._next_uid = await _end(imap)
            while True:
                await self._look_then_idle(imap)
        finally:
            _leave(imap)

    async def _look_then_idle(self, imap: aioimaplib.IMAP4) -> None:
        while await self._fetch_new(imap):
            pass
        idle = await imap.idle_start(IDLE_SECONDS)
        if not self._opened.done():
            self._opened.set_result(None)
        await imap.wait_server_push(IDLE_SECONDS + 60)
        imap.idle_done()
        await asyncio.wait_for(idle, 10)

    async def _fetch_new(self, imap: aioimaplib.IMAP4) -> bool:
        """Whether there was anything: what arrives during a fetch needs another look."""
        answer = _ok(await imap.uid("fetch", f"{self._next_uid}:*", "(UID BODY.PEEK[])"), "FETCH")
        # `n:*` always names the newest message, also one that was seen already
        new = [(uid, raw) for uid, raw in _messages(answer.lines) if uid >= (self._next_uid or 0)]
        for uid, raw in new:
            self._next_uid = uid + 1
            self._on_mail(_seen(raw))
        return bool(new)


def _leave(imap: aioimaplib.IMAP4) -> None:
    """Hangs up. A LOGOUT would have to wait for the end of IDLE, and the server keeps nothing for this session."""
    if imap.has_pending_idle():
        imap.idle_done()
    transport: asyncio.Transport | None = getattr(imap.protocol, "transport", None)
    if transport is not None:
        transport.close()


async def _end(imap: aioimaplib.IMAP4) -> int:
    answer = _ok(await imap.status("INBOX", "(UIDNEXT)"), "STATUS")
    for line in answer.lines:
        text = line.decode(errors="replace") if isinstance(line, bytes | bytearray) else str(line)
        _, found, rest = text.partition("UIDNEXT ")
        if found:
            return int(rest.split(")")[0].split()[0])
    raise DoorFailed(f"IMAP: STATUS did not say UIDNEXT: {answer.lines!r}")


def _ok(answer: aioimaplib.Response, what: str) -> aioimaplib.Response:
    if answer.result != "OK":
        raise DoorFailed(f"IMAP: {what} was answered {answer.result} {answer.lines!r}")
    return answer


def _messages(lines: list[bytes | bytearray]) -> list[tuple[int, bytes]]:
    """A FETCH answer is a line that names the UID, then the literal, then what closes it."""
    found = []
    for line, literal in itertools.pairwise(lines):
        if isinstance(literal, bytearray) and b"UID " in line:
            uid = int(bytes(line).split(b"UID ", 1)[1].split()[0].rstrip(b")"))
            found.append((uid, bytes(literal)))
    return found


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


def reply(*, message_id: str, sender: str, recipient: str, answers: MailSeen, text: str) -> bytes:
    """A plain answer to a letter (RFC 5322), as a vendor's mail program writes it."""
    letter = EmailMessage()
    letter["From"] = sender
    letter["To"] = recipient
    letter["Subject"] = f"Re: {answers.subject}"
    letter["Date"] = format_datetime(clock.now())
    letter["Message-ID"] = message_id
    letter["In-Reply-To"] = answers.message_id
    letter["References"] = answers.message_id
    letter.set_content(text)
    return letter.as_bytes()
