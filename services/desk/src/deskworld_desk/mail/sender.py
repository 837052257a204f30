"""Handing letters to the mail server: one connection, each recipient's outcome by name."""

import asyncio
import contextlib
import ipaddress
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from aiosmtplib import SMTP
from aiosmtplib.errors import (
    SMTPDataError,
    SMTPException,
    SMTPRecipientRefused,
    SMTPResponseException,
    SMTPSenderRefused,
)

from deskworld_desk.mail.message import ADDRESS

T = TypeVar("T")


class MailUnavailable(Exception):
    """The mail server could not be reached or did not answer.

    `maybe_sent`: the connection broke after the letter went out and before the server said what it did with it.
    `put_off`: the server is there, and will have this letter later (4yz); it may well take another one now.
    """

    def __init__(self, detail: str, *, maybe_sent: bool = False, put_off: bool = False) -> None:
        super().__init__(detail)
        self.maybe_sent = maybe_sent
        self.put_off = put_off


class _PutOff(SMTPResponseException):
    """A temporary refusal of this one letter."""


@dataclass(frozen=True, slots=True)
class RecipientOutcome:
    address: str
    outcome: Literal["accepted", "refused"]
    detail: str


@dataclass(frozen=True, slots=True)
class Sent:
    recipients: tuple[RecipientOutcome, ...]


class Sender:
    """One login, one connection, one letter at a time.

    On loopback the connection is plain. Elsewhere STARTTLS is used where the server offers it, and a certificate
    that cannot be checked (`ca_file`, else the system's) ends the attempt: no password over a line like that.
    """

    def __init__(
        self,
        host: str,
        port: int,
        login: str,
        password: str,
        *,
        timeout: float = 30.0,  # seconds for each step of the conversation
        ca_file: str | None = None,
    ) -> None:
        self._host, self._port = host, port
        self._login, self._password = login, password
        self._timeout = timeout
        self._ca_file = ca_file
        self._lock = asyncio.Lock()
        self._client: SMTP | None = None

    async def send(self, raw: bytes, sender: str, recipients: Sequence[str]) -> Sent:
        """Raises MailUnavailable, and ValueError for what is no address. A refusal is an outcome, not an error."""
        for address in (sender, *recipients):
            if not ADDRESS.fullmatch(address):
                raise ValueError(f"{address!r} is not a plain mail address")
        if not recipients:
            raise ValueError("a letter needs a recipient")

        async def hand_in(client: SMTP, progress: _Progress) -> Sent:
            return await _transaction(client, raw, sender, recipients, progress)

        return await self._conversation(hand_in)

    async def ready(self) -> None:
        """Whether a letter could be handed in now: the server takes our login and answers. Raises MailUnavailable."""

        async def knock(client: SMTP, _progress: _Progress) -> None:
            await client.noop()

        await self._conversation(knock)

    async def close(self) -> None:
        async with self._lock:
            client, self._client = self._client, None
            if client is not None and client.is_connected:
                with contextlib.suppress(SMTPException, OSError, RuntimeError):
                    await client.quit(timeout=5)
            if client is not None:
                client.close()

    async def _conversation(self, work: "Callable[[SMTP, _Progress], Awaitable[T]]") -> T:
        async with self._lock:
            reused = self._client is not None and self._client.is_connected
            try:
                return await self._attempt(work)
            except MailUnavailable as error:
                if not reused or error.maybe_sent or error.put_off:
                    raise
            # The server had closed a connection that we kept: that says nothing about the server, so once more.
            return await self._attempt(work)

    async def _attempt(self, work: "Callable[[SMTP, _Progress], Awaitable[T]]") -> T:
        started = _Progress()
        try:
            return await work(await self._connected(), started)
        except (SMTPException, OSError, RuntimeError) as error:  # RuntimeError: uvloop, of a closed line
            self._drop()
            raise MailUnavailable(
                f"mail server {self._host}:{self._port}: {_said(error)}",
                maybe_sent=started.content,
                put_off=isinstance(error, _PutOff),
            ) from error
        except BaseException:
            # Cancelled in the middle: the conversation's state is unknown, so this connection is not used again.
            self._drop()
            raise

    async def _connected(self) -> SMTP:
        if self._client is not None and self._client.is_connected:
            return self._client
        self._drop()
        client = SMTP(
            hostname=self._host,
            port=self._port,
            timeout=self._timeout,
            start_tls=False,
            local_hostname="localhost",
            cert_bundle=self._ca_file,
        )
        self._client = client
        await client.connect()
        await client.ehlo()
        if client.supports_extension("starttls") and not _loopback(self._host):
            await client.starttls()
        await client.login(self._login, self._password)
        return client

    def _drop(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()


@dataclass(slots=True)
class _Progress:
    content: bool = False


async def _transaction(client: SMTP, raw: bytes, sender: str, recipients: Sequence[str], progress: _Progress) -> Sent:
    outcomes: dict[str, RecipientOutcome] = {}
    try:
        await client.mail(sender)
        temporary = 0
        for address in dict.fromkeys(recipients):
            try:
                answer = await client.rcpt(address)
                outcomes[address] = RecipientOutcome(address, "accepted", f"{answer.code} {answer.message}")
            except SMTPRecipientRefused as error:
                temporary += _temporary(error)
                outcomes[address] = RecipientOutcome(address, "refused", _said(error))
        if not any(each.outcome == "accepted" for each in outcomes.values()):
            if temporary == len(outcomes):
                raise _PutOff(450, "every recipient was put off: " + _details(outcomes.values()))
            await _reset(client)
            return Sent(tuple(outcomes.values()))
        progress.content = True
        await client.data(raw if raw.endswith(b"\r\n") else raw + b"\r\n")
    except (SMTPSenderRefused, SMTPDataError) as error:
        progress.content = False
        if _temporary(error):
            raise _PutOff(error.code, error.message) from error
        await _reset(client)
        return Sent(tuple(RecipientOutcome(each, "refused", _said(error)) for each in dict.fromkeys(recipients)))
    return Sent(tuple(outcomes.values()))


async def _reset(client: SMTP) -> None:
    with contextlib.suppress(SMTPException, OSError, RuntimeError):
        await client.rset()


def _temporary(error: SMTPResponseException) -> bool:
    return 400 <= error.code < 500


def _details(outcomes: Iterable[RecipientOutcome]) -> str:
    return "; ".join(f"{each.address}: {each.detail}" for each in outcomes)


def _said(error: BaseException) -> str:
    if isinstance(error, SMTPResponseException):
        return f"{error.code} {error.message}"
    return str(error) or type(error).__name__


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
