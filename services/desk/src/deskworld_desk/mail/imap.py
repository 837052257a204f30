"""An IMAP connection on aioimaplib that keeps its place when the server, the line or a body misbehaves."""

import asyncio
import contextlib
import re
import ssl
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from aioimaplib import IMAP4, AioImapException
from aioimaplib.aioimaplib import Abort, Command, IMAP4ClientProtocol, Response, quoted

IMAPS_PORT = 993
SETTLED = 1.0  # seconds
HEAD_LIMIT = 65_536  # octets of a header that are asked for when the message is too large to be

# The library handles the lines of a chunk by recursion; a chunk this long cannot exhaust the stack.
_CHUNK = 4_096
_COUNT = re.compile(rb"(\d+) (EXISTS|EXPUNGE)\b", re.IGNORECASE)
_FETCH = re.compile(rb"\d+ FETCH \(")
_UID = re.compile(rb"\bUID (\d+)")
_SIZE = re.compile(rb"\bRFC822\.SIZE (\d+)")
_VALIDITY = re.compile(rb"\[UIDVALIDITY (\d+)\]")
_BODY = re.compile(rb"BODY\[(?:HEADER)?\](?:<0>)? *", re.IGNORECASE)
_ATOM = re.compile(r"[A-Za-z0-9._@+-]+")


class MailboxLost(Exception):
    """The connection to the mailbox is of no use any more; the message says what happened."""


@dataclass(frozen=True, slots=True)
class Listed:
    uid: int
    size: int


class _Protocol(IMAP4ClientProtocol):
    """aioimaplib's protocol with four repairs.

    Lines are handled in short chunks; EXISTS and EXPUNGE are noticed whenever they come; what waits ends when the line
    is lost or the server says BYE; a body sent as a quoted string keeps its "* ".
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self.exists = 0
        self.gone = 0
        self.farewell = ""
        self.closed = asyncio.Event()
        self.pushed = asyncio.Event()
        self.on_lost: Callable[[], None] = lambda: None

    def data_received(self, d: bytes) -> None:
        for start in range(0, len(d), _CHUNK):
            super().data_received(d[start : start + _CHUNK])

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        lost = Abort(self.farewell or f"connection lost{f': {exc}' if exc else ''}")
        waiting: list[Command] = [*self.pending_async_commands.values()]
        if self.pending_sync_command is not None:
            waiting.append(self.pending_sync_command)
        for command in waiting:
            command._exception = lost  # type: ignore[assignment]  # noqa: SLF001 - the library has no public way to end a command with an error
            command.close(b"", "KO")
        self.closed.set()
        self.pushed.set()
        self.on_lost()

    async def welcome(self, command: bytes) -> None:
        if b"OK" in command or b"PREAUTH" in command:
            with contextlib.suppress(AioImapException):
                await super().welcome(command)
            return
        self._goodbye(command)

    def _untagged_response(self, line: bytes) -> Command:
        said = line.removeprefix(b"* ")
        if count := _COUNT.match(said):
            self._counted(int(count.group(1)), count.group(2).upper())
        elif said[:4].upper() == b"BYE ":
            self._goodbye(said)
        fetch: Command | None = self.pending_async_commands.get("FETCH")
        if fetch is not None and self.pending_sync_command is None and _FETCH.match(said):
            fetch.append_to_resp(said)
            return fetch
        return super()._untagged_response(line)

    def _counted(self, number: int, what: bytes) -> None:
        if what == b"EXISTS":
            self.exists = number
            self.pushed.set()
        else:
            self.exists, self.gone = self.exists - 1, self.gone + 1

    def _goodbye(self, said: bytes) -> None:
        self.farewell = f"the server said {said[:200].decode('utf-8', 'replace')}"
        if self.transport is not None:
            self.transport.close()


class _Client(IMAP4):
    protocol: _Protocol  # type: ignore[assignment]

    def create_client(
        self,
        host: str,
        port: int,
        loop: asyncio.AbstractEventLoop | None,
        conn_lost_cb: Callable[[Exception | None], None] | None = None,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        running = loop or asyncio.get_running_loop()
        self.protocol = _Protocol(running)
        self._client_task = running.create_task(
            running.create_connection(lambda: self.protocol, host, port, ssl=ssl_context)
        )


class Mailbox:
    """One selected mailbox on one connection. Every method raises MailboxLost."""

    def __init__(self, client: _Client, validity: int, timeout: float) -> None:
        self._client = client
        self._timeout = timeout
        self.validity = validity

    @property
    def told(self) -> int:
        """How many messages the server has ever told this connection of, with those that are gone by now."""
        return self._client.protocol.exists + self._client.protocol.gone

    def when_lost(self, call: Callable[[], None]) -> None:
        """Calls once the line is lost, whether or not anybody is waiting for an answer."""
        self._client.protocol.on_lost = call
        if self._client.protocol.closed.is_set():
            call()

    async def after(self, uid: int, *, deadline: float) -> list[Listed]:
        """What has a UID above this one, ascending. Servers answer `n:*` with the last message even if it is below n.

        The NOOP comes first because a server may let a connection fetch only what it has told it of.
        """
        async with self._guarded("NOOP", self._timeout):
            _must("NOOP", await self._client.noop())
        async with self._guarded("FETCH of sizes", deadline):
            answer = await self._client.uid("fetch", f"{uid + 1}:*", "(UID RFC822.SIZE)")
        _must("FETCH", answer)
        found = {}
        for line in answer.lines[:-1]:
            number, size = _UID.search(bytes(line)), _SIZE.search(bytes(line))
            if number and size and int(number.group(1)) > uid:
                found[int(number.group(1))] = int(size.group(1))
        return [Listed(number, found[number]) for number in sorted(found)]

    async def octets(self, uid: int, *, deadline: float) -> bytes | None:
        """The whole message; None if it is gone by now."""
        async with self._guarded(f"FETCH of message {uid}", deadline):
            answer = await self._client.uid("fetch", str(uid), "(UID BODY.PEEK[])")
        _must("FETCH", answer)
        return _body(answer.lines[:-1])

    async def head(self, uid: int, *, deadline: float) -> bytes:
        """The beginning of the header, at most HEAD_LIMIT octets; empty where the server does not give it."""
        async with self._guarded(f"FETCH of the header of message {uid}", deadline):
            answer = await self._client.uid("fetch", str(uid), f"(UID BODY.PEEK[HEADER]<0.{HEAD_LIMIT}>)")
        if answer.result != "OK":
            return b""
        return (_body(answer.lines[:-1]) or b"")[:HEAD_LIMIT]

    async def idle(self, seconds: float, news: asyncio.Event) -> None:
        """Stays in IDLE for so long, and sets `news` whenever a look may find something: now that the server listens
        for this connection, SETTLED later, since a server may say so a moment before it does, and at each EXISTS."""
        async with self._guarded("IDLE", self._timeout):
            idling = await self._client.idle_start(seconds + 2 * self._timeout)
        try:
            for part in (min(SETTLED, seconds), max(0.0, seconds - SETTLED)):
                news.set()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._pushes(news), part)
        except MailboxLost:
            idling.cancel()
            await asyncio.gather(idling, return_exceptions=True)
            raise
        async with self._guarded("end of IDLE", self._timeout):
            self._client.idle_done()
            await idling
        while not self._client.protocol.idle_queue.empty():
            self._client.protocol.idle_queue.get_nowait()

    async def _pushes(self, news: asyncio.Event) -> None:
        protocol = self._client.protocol
        while not protocol.closed.is_set():
            protocol.pushed.clear()
            await protocol.pushed.wait()
            news.set()
        raise MailboxLost(protocol.farewell or "the connection was lost while idling")

    async def close(self) -> None:
        await _closed(self._client)

    @contextlib.asynccontextmanager
    async def _guarded(self, what: str, seconds: float) -> AsyncIterator[None]:
        if self._client.protocol.closed.is_set():
            raise MailboxLost(self._client.protocol.farewell or f"{what}: the connection was lost before")
        async with _guarded(self._client, what, seconds):
            yield


async def open_mailbox(host: str, port: int, login: str, password: str, *, patience: float) -> Mailbox:
    """Log in and select INBOX; `patience` in seconds bounds each command. Raises MailboxLost."""
    context = ssl.create_default_context() if port == IMAPS_PORT else None
    client = _Client(host, port, timeout=patience, ssl_context=context)  # type: ignore[arg-type]
    try:
        async with _guarded(client, "greeting", patience):
            await _greeting(client)
        async with _guarded(client, "LOGIN", patience):
            _must("LOGIN", await client.login(login if _ATOM.fullmatch(login) else quoted(login), password))
            # What a server can do may change with the login.
            await client.protocol.capability()
        if not client.has_capability("IDLE"):
            raise MailboxLost("the server does not offer IDLE")
        async with _guarded(client, "SELECT", patience):
            answer = await client.select("INBOX")
        _must("SELECT", answer)
        for line in answer.lines:
            found = _VALIDITY.search(bytes(line))
            if found:
                return Mailbox(client, int(found.group(1)), patience)
        raise MailboxLost("SELECT named no UIDVALIDITY")
    except BaseException:
        await _closed(client)
        raise


async def _greeting(client: _Client) -> None:
    hello = asyncio.ensure_future(client.wait_hello_from_server())
    closed = asyncio.ensure_future(client.protocol.closed.wait())
    try:
        await asyncio.wait({hello, closed}, return_when=asyncio.FIRST_COMPLETED)
        if not hello.done():
            raise MailboxLost(client.protocol.farewell or "closed without a greeting")
        await hello
    finally:
        hello.cancel()
        closed.cancel()
        await asyncio.gather(hello, closed, return_exceptions=True)


@contextlib.asynccontextmanager
async def _guarded(client: _Client, what: str, seconds: float) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        raise MailboxLost(f"{what}: no end within {seconds:g} s") from error
    except (AioImapException, OSError, ValueError, RuntimeError) as error:  # RuntimeError: uvloop, of a closed line
        said = client.protocol.farewell or str(error) or type(error).__name__
        raise MailboxLost(f"{what}: {said}") from error


async def _closed(client: _Client) -> None:
    """Close the line and end every task the library left."""
    if client.protocol.transport is not None:
        client.protocol.transport.abort()
    waiter = client._idle_waiter  # noqa: SLF001 - a timer of up to 29 minutes that would outlive the connection
    if waiter is not None:
        waiter.cancel()
    tasks = [client._client_task, *client.tasks, *client.protocol.tasks]  # noqa: SLF001 - as above
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _must(what: str, answer: Response) -> None:
    if answer.result != "OK":
        said = bytes(answer.lines[-1]).decode("utf-8", "replace") if answer.lines else ""
        raise MailboxLost(f"{what}: {answer.result} {said}".rstrip())


def _body(lines: Sequence[bytes | bytearray]) -> bytes | None:
    """The one body in a FETCH answer: a literal (the library hands those as bytearray), a quoted string, or NIL."""
    for number, line in enumerate(lines):
        if isinstance(line, bytearray):
            continue
        found = _BODY.search(line)
        if not found:
            continue
        rest = line[found.end() :]
        if rest.startswith(b"{"):
            literal = lines[number + 1] if number + 1 < len(lines) else None
            if not isinstance(literal, bytearray):
                raise MailboxLost("FETCH: the body announced did not come")
            return bytes(literal)
        if rest.startswith(b'"'):
            return _unquoted(rest)
        return b""
    return None


def _unquoted(rest: bytes) -> bytes:
    out = bytearray()
    position = 1
    while position < len(rest) and rest[position : position + 1] != b'"':
        if rest[position : position + 1] == b"\\":
            position += 1
        out += rest[position : position + 1]
        position += 1
    return bytes(out)
