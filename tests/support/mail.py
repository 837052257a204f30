"""A peer for the desk's mail: an IMAP server over real sockets that misbehaves as its script says."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

DEADLINE = 15.0
PASSWORD = "a password with spaces"


@dataclass(slots=True)
class Script:
    """What the server does wrong. Everything is off to begin with."""

    greeting: bytes = b"* OK ready"
    idle_answer: bytes = b"+ idling"
    capabilities: bytes = b"IMAP4rev1 IDLE"
    freeze_in_body: bool = False
    never_gives: set[int] = field(default_factory=set)  # hangs up in the middle of these bodies, each time
    heads: bool = True  # answers when a header is asked for
    deaf_in_idle: bool = False  # tells nothing while a client idles
    shuffled: bool = False  # lists messages in no order
    quoted_bodies: bool = False
    sizes: dict[int, int] = field(default_factory=dict)  # uid: the size it claims
    during_look: Callable[[], None] | None = None  # runs once, between the list of messages and its end
    before_look: Callable[[], None] | None = None  # runs once, before the messages are listed
    before_idle: Callable[[], None] | None = None  # runs once, when IDLE was asked for and before it begins
    hides_untold: bool = False  # answers FETCH for what SELECT, NOOP or a push told of, and nothing else


class ScriptedImap:
    """As much IMAP4rev1 as a listener needs, over real sockets."""

    def __init__(self) -> None:
        self.script = Script()
        self.messages: dict[int, bytes] = {}
        self.validity = 1
        self.fetched: list[str] = []
        self.logins = 0
        self.idles = 0
        self.noops = 0
        self.port = 0
        self._changed = asyncio.Condition()
        self._writers: set[asyncio.StreamWriter] = set()
        self._idling: set[asyncio.StreamWriter] = set()
        self._told: dict[asyncio.StreamWriter, set[int]] = {}

    def add(self, raw: bytes, *, uid: int | None = None, tell: bool = True) -> int:
        number = uid if uid is not None else max(self.messages, default=0) + 1
        self.messages[number] = raw
        if tell and not self.script.deaf_in_idle:
            self.push(b"* %d EXISTS" % len(self.messages))
        return number

    def push(self, line: bytes) -> None:
        for writer in self._idling:
            self._told[writer] = set(self.messages)
            writer.write(line + b"\r\n")

    def hang_up(self) -> None:
        for writer in list(self._writers):
            writer.transport.abort()

    async def idled(self, times: int) -> None:
        await self.until(lambda: self.idles >= times and bool(self._idling), f"IDLE number {times}")

    async def until(self, fact: Callable[[], bool], what: str) -> None:
        async def wait() -> None:
            async with self._changed:
                await self._changed.wait_for(fact)

        try:
            await asyncio.wait_for(wait(), DEADLINE)
        except TimeoutError:
            raise AssertionError(f"waited {DEADLINE} s for {what}; logins {self.logins}, idles {self.idles}") from None

    async def _note(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            writer.write(self.script.greeting + b"\r\n")
            if b"BYE" in self.script.greeting:
                return
            while line := await reader.readline():
                await self._command(line.rstrip(b"\r\n"), reader, writer)
        except (ConnectionError, asyncio.CancelledError):
            return
        finally:
            self._writers.discard(writer)
            self._idling.discard(writer)
            writer.close()

    async def _command(self, line: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tag, _, rest = line.partition(b" ")
        words = rest.split(b" ")
        name = (words[1] if words[0] == b"UID" else words[0]).upper()
        if name == b"CAPABILITY":
            writer.write(b"* CAPABILITY " + self.script.capabilities + b"\r\n")
        elif name == b"LOGIN":
            self.logins += 1
            if f'"{PASSWORD}"'.encode() not in line:
                writer.write(tag + b" NO wrong password\r\n")
                return
        elif name == b"SELECT":
            self._told[writer] = set(self.messages)
            writer.write(b"* %d EXISTS\r\n* OK [UIDVALIDITY %d] valid\r\n" % (len(self.messages), self.validity))
        elif name == b"STATUS":
            writer.write(b"* STATUS INBOX (UIDNEXT %d)\r\n" % (max(self.messages, default=0) + 1))
        elif name == b"NOOP":
            self.noops += 1
            self._told[writer] = set(self.messages)
        elif name == b"FETCH" and b"[HEADER]" in rest and not self.script.heads:
            self.fetched.append(rest.decode())
            writer.write(tag + b" NO not today\r\n")
            return
        elif name == b"FETCH":
            await self._fetch(rest.decode(), writer)
        elif name == b"IDLE":
            await self._idle(tag, reader, writer)
            return
        writer.write(tag + b" OK done\r\n")
        await self._note()

    async def _fetch(self, rest: str, writer: asyncio.StreamWriter) -> None:
        self.fetched.append(rest)
        looks = rest.split(" ")[2].endswith(":*")
        if looks and self.script.before_look is not None:
            then, self.script.before_look = self.script.before_look, None
            then()
        wanted = self._named(rest.split(" ")[2])
        if self.script.hides_untold:
            wanted = [uid for uid in wanted if uid in self._told[writer]]
        if self.script.shuffled:
            wanted = wanted[1::2] + wanted[::2]
        numbers = {uid: number for number, uid in enumerate(sorted(self.messages), start=1)}
        for uid in wanted:
            await self._answer(numbers[uid], uid, rest, writer)
        if looks and self.script.during_look is not None:
            then, self.script.during_look = self.script.during_look, None
            then()
            writer.write(b"* %d EXISTS\r\n" % len(self.messages))

    def _named(self, what: str) -> list[int]:
        """A UID, or `n:*`, which names the last message even if it is below n."""
        if not what.endswith(":*"):
            return [int(what)] if int(what) in self.messages else []
        return sorted(uid for uid in self.messages if uid >= int(what[:-2])) or sorted(self.messages)[-1:]

    async def _answer(self, number: int, uid: int, rest: str, writer: asyncio.StreamWriter) -> None:
        raw = self.messages[uid]
        if uid in self.script.never_gives and "BODY.PEEK[]" in rest:
            writer.transport.abort()
            return
        if "RFC822.SIZE" in rest:
            size = self.script.sizes.get(uid, len(raw))
            writer.write(b"* %d FETCH (UID %d RFC822.SIZE %d)\r\n" % (number, uid, size))
        elif self.script.quoted_bodies:
            quoted = re.sub(rb'(["\\])', rb"\\\1", raw)
            writer.write(b'* %d FETCH (UID %d BODY[] "%s")\r\n' % (number, uid, quoted))
        elif "BODY.PEEK[HEADER]" in rest:
            head = raw.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
            writer.write(b"* %d FETCH (UID %d BODY[HEADER]<0> {%d}\r\n%s)\r\n" % (number, uid, len(head), head))
        else:
            writer.write(b"* %d FETCH (UID %d BODY[] {%d}\r\n" % (number, uid, len(raw)))
            await self._literal(raw, writer)
            writer.write(b" FLAGS ())\r\n")

    async def _literal(self, raw: bytes, writer: asyncio.StreamWriter) -> None:
        if self.script.freeze_in_body:
            self.script.freeze_in_body = False
            writer.write(raw[: len(raw) // 2])
            await writer.drain()
            await asyncio.Event().wait()
        writer.write(raw)

    async def _idle(self, tag: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.idles += 1
        then, self.script.before_idle = self.script.before_idle, None
        if then is not None:
            then()
        writer.write(self.script.idle_answer + b"\r\n")
        if self.script.idle_answer.startswith(b"* BYE"):
            self.script.idle_answer = b"+ idling"
            writer.transport.abort()
            return
        self._idling.add(writer)
        await self._note()
        done = await reader.readline()
        self._idling.discard(writer)
        if done:
            writer.write(tag + b" OK IDLE ended\r\n")


@asynccontextmanager
async def scripted_imap() -> AsyncIterator[ScriptedImap]:
    peer = ScriptedImap()
    server = await asyncio.start_server(peer.serve, "127.0.0.1", 0, limit=2**20)
    peer.port = server.sockets[0].getsockname()[1]
    try:
        yield peer
    finally:
        server.close()
        peer.hang_up()
