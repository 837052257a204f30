"""One mailbox watched over two IMAP connections: the ear stays in IDLE, the hand reads.

With a single connection a message could come after the last look and before IDLE begins (RFC 2177), and not every
server tells of that later. Knows nothing of what a message means.
"""

import asyncio
import contextlib
import itertools
import re
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from typing import Any, TypeVar

from aioimaplib import aioimaplib

from deskworld.doors import clock
from deskworld.errors import DoorFailed
from deskworld.values.stack import Address

IDLE_SECONDS = 60.0
"""RFC 2177 asks for less than 29 minutes. How soon a dead line is found out; nothing waits for it."""
SETTLED = 1.0
"""A server may say that it idles a moment before it does: so much later (seconds) there is one more look."""
FIRST_LOOK, LONGEST_LOOK, LOOKING = 0.005, 0.2, 5.0
"""A server may tell of a message before it can be found: pauses between looks, each twice the one before, and for how
long there are such looks (seconds)."""
COMMAND_SECONDS = 15.0
T = TypeVar("T")
LOST = (aioimaplib.AioImapException, OSError, TimeoutError, asyncio.IncompleteReadError)
_COUNT = re.compile(rb"(?:\* )?(\d+) (EXISTS|EXPUNGE)\b", re.IGNORECASE)


class Mailbox:
    """From its end at the first session on. What a session had not read the next one reads."""

    def __init__(
        self,
        address: Address,
        login: str,
        password: str,
        *,
        on_message: Callable[[bytes], None],
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        self._address = address
        self._login = login
        self._password = password
        self._on_message = on_message
        self._idle_seconds = idle_seconds
        self._next_uid: int | None = None

    async def session(self, opened: Callable[[], None]) -> None:
        """Until it breaks; `opened` is called once mail is heard of. Raises DoorFailed, or one of LOST."""
        async with self._selected() as ear, _hearing(ear, self._idle_seconds):
            await ear.heard()
            async with self._selected(lost=ear.news.set) as hand:
                if self._next_uid is None:
                    self._next_uid = await _end(hand.imap)
                opened()
                found: int | None = None
                while True:
                    ear.news.clear()
                    found = await self._look(ear, hand, found)
                    await ear.heard()

    async def _look(self, ear: "_Line", hand: "_Line", found: int | None) -> int:
        """Reads what is new, and looks again while the ear was told of more than was found. Gives how many messages
        count as found; None before the first look, which finds all that was there."""
        pause, until = FIRST_LOOK, clock.monotonic() + LOOKING
        while True:
            late = clock.monotonic() > until
            read = await hand.unless_lost(self._read_new(hand))
            found = ear.told if found is None or late else found + read
            if found >= ear.told:
                return found
            await clock.pause(pause)
            pause = min(2 * pause, LONGEST_LOOK)

    async def _read_new(self, hand: "_Line") -> int:
        """How many there were. The NOOP comes first: a server may let a connection fetch only what it told it of."""
        _ok(await hand.imap.noop(), "NOOP")
        answer = _ok(await hand.imap.uid("fetch", f"{self._next_uid}:*", "(UID BODY.PEEK[])"), "FETCH")
        # `n:*` always names the newest message, also one that was read already
        new = sorted((uid, raw) for uid, raw in _messages(answer.lines) if uid >= (self._next_uid or 0))
        for uid, raw in new:
            self._next_uid = uid + 1
            self._on_message(raw)
        return len(new)

    @contextlib.asynccontextmanager
    async def _selected(self, lost: Callable[[], None] = lambda: None) -> AsyncIterator["_Line"]:
        line = _Line(self._address, lost)
        try:
            await line.imap.wait_hello_from_server()
            _ok(await line.imap.login(self._login, self._password), "LOGIN")
            line.count(_ok(await line.imap.select("INBOX"), "SELECT").lines)
            yield line
        finally:
            await line.leave()


class _Line:
    """A connection, how many messages it was told of, and whether it still stands."""

    def __init__(self, address: Address, lost: Callable[[], None]) -> None:
        self.news = asyncio.Event()
        self.told = 0
        self._gone = 0
        self._lost = asyncio.Event()
        self._when_lost = lost
        self._ended: BaseException | None = None
        self.imap = aioimaplib.IMAP4(
            host=address.host, port=address.port, timeout=COMMAND_SECONDS, conn_lost_cb=self._line_lost
        )

    def count(self, lines: Iterable[bytes | bytearray | str]) -> None:
        """`told` grows alone: what was expunged since stays counted."""
        for line in lines:
            if not isinstance(line, str) and (counted := _COUNT.match(bytes(line))):
                if counted[2].upper() == b"EXISTS":
                    self.told = int(counted[1]) + self._gone
                else:
                    self._gone += 1

    async def heard(self) -> None:
        """Until there may be news. Raises what ended the line."""
        self.must_stand()
        await self.news.wait()
        self.must_stand()

    def must_stand(self) -> None:
        if self._ended is not None:
            raise self._ended
        if self._lost.is_set():
            raise ConnectionResetError("the connection was lost")

    async def unless_lost(self, work: Coroutine[Any, Any, T]) -> T:
        """The library lets a command wait for its timeout when the line is lost meanwhile."""
        tasks = doing, lost = asyncio.create_task(work), asyncio.create_task(self._lost.wait())
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if not doing.done():
                self.must_stand()
            return doing.result()
        finally:
            for task in (doing, lost):
                task.cancel()
            await asyncio.wait(tasks)

    async def pushes(self) -> None:
        while True:
            pushed = await self.imap.protocol.idle_queue.get()  # type: ignore[attr-defined]  # set with the client
            if isinstance(pushed, list):  # and not the library's own mark
                self.count(pushed)
                self.news.set()

    async def idle(self, seconds: float) -> None:
        while True:
            idle = await self.imap.idle_start(2 * seconds + COMMAND_SECONDS)
            for part in (min(SETTLED, seconds), max(0.0, seconds - SETTLED)):
                self.news.set()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._lost.wait(), part)
                self.must_stand()
            self.imap.idle_done()
            await asyncio.wait_for(idle, COMMAND_SECONDS)

    def ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled():
            self._ended = self._ended or task.exception()
        self.news.set()

    async def leave(self) -> None:
        """Hangs up. A LOGOUT would have to wait for the end of IDLE, and the server keeps nothing for this session."""
        if self.imap.has_pending_idle():
            with contextlib.suppress(OSError, RuntimeError):  # RuntimeError: uvloop, of a closed line
                self.imap.idle_done()
        transport: asyncio.Transport | None = getattr(self.imap.protocol, "transport", None)
        if transport is not None:
            transport.close()
        left = [*self.imap.tasks, *getattr(self.imap.protocol, "tasks", ())]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def _line_lost(self, _error: Exception | None) -> None:
        self._lost.set()
        self.news.set()
        self._when_lost()


@contextlib.asynccontextmanager
async def _hearing(ear: _Line, idle_seconds: float) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(ear.idle(idle_seconds)), asyncio.create_task(ear.pushes())]
    for task in tasks:
        task.add_done_callback(ear.ended)
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


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
