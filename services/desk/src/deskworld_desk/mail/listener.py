"""Hearing of mail the moment it arrives: each message once, in UID order, through reconnects and renumbered mailboxes.

Two connections: the ear stays in IDLE, the hand looks and reads. With a single one mail could come after a search and
before IDLE begins, and not every server tells of that later.
Knows nothing of what a message means, or where it is kept.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from deskworld_desk.mail.imap import Mailbox, MailboxLost, open_mailbox
from deskworld_kit import clock

# RFC 2177: a server may log out a client that idles for 30 minutes.
IDLE_CEILING = 29 * 60
ATTEMPTS = 3
# So often a message may break the line while it is fetched, until it is told of without its octets.
STRIKES = 5
# A server may tell of a message before it can be found: seconds, each pause twice the one before.
FIRST_LOOK, LONGEST_LOOK, LOOKING = 0.005, 0.2, 5.0


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message as it lies in the mailbox. `whole` is False where it is too large, or will not be fetched: then `raw`
    is the beginning of its header, or nothing."""

    uidvalidity: int
    uid: int
    raw: bytes
    size: int
    whole: bool = True


@dataclass(frozen=True, slots=True)
class ListenerState:
    name: Literal["connecting", "listening", "unavailable", "stuck"]
    detail: str = ""


class _NotRecorded(Exception):
    """A message could be handed to nobody; going on would lose it."""


class Listener:
    """`position` gives the last (UIDVALIDITY, UID) recorded, or None; it is asked at every connection.

    `on_message` that raises is tried ATTEMPTS times. Then the message goes to `on_poison` (which should keep the octets
    and read nothing), and the next ones follow; without `on_poison` it is passed over and told as "stuck".
    If `position` or `on_poison` fail as well, it is not the message: nobody can record anything, so the listener backs
    off and starts again from `position`, and nothing is passed over.
    """

    def __init__(  # noqa: PLR0913 - each is a fact about one mailbox
        self,
        *,
        host: str,
        port: int,
        login: str,
        password: str,
        position: Callable[[], Awaitable[tuple[int, int] | None]],
        on_message: Callable[[Incoming], Awaitable[None]],
        on_state: Callable[[ListenerState], None] | None = None,
        on_poison: Callable[[Incoming, Exception], Awaitable[None]] | None = None,
        size_limit: int = 25 * 1024 * 1024,
        idle_seconds: float = 5 * 60,  # also how soon a dead line is found out, and the safety net's interval
        timeout: float = 10.0,  # seconds a server may be silent within one command
        download_seconds: float = 120.0,  # for one whole message
        backoff: tuple[float, float] = (0.1, 5.0),  # seconds: first pause, longest pause
        rng: random.Random | None = None,
    ) -> None:
        if not 0 < idle_seconds < IDLE_CEILING:
            raise ValueError(f"idle_seconds must be above 0 and below {IDLE_CEILING}, not {idle_seconds}")
        self._where = (host, port, login, password)
        self._position = position
        self._on_message, self._on_state, self._on_poison = on_message, on_state, on_poison
        self._size_limit = size_limit
        self._idle_seconds, self._timeout, self._download_seconds = idle_seconds, timeout, download_seconds
        self._backoff = backoff
        self._rng = rng or random.Random(0)  # noqa: S311 - spreads reconnects; no secret
        self._last = 0
        self._strikes: dict[tuple[int, int], int] = {}

    async def run(self) -> None:
        """Until cancelled."""
        tries = 0
        while True:
            self._tell(ListenerState("connecting"))
            began = clock.monotonic()
            try:
                await self._listen()
            except (MailboxLost, _NotRecorded) as error:
                self._tell(ListenerState("unavailable", str(error)))
            except Exception as error:  # noqa: BLE001 - the desk has one ear: whatever happens is told, and it listens again
                self._tell(ListenerState("unavailable", f"{type(error).__name__}: {error}"))
            # A server that greets and hangs up at once must not be asked again at once, for ever.
            tries = 0 if clock.monotonic() - began > self._backoff[1] else tries + 1
            await self._pause(tries)

    async def _listen(self) -> None:
        news = asyncio.Event()
        ear = await open_mailbox(*self._where, patience=self._timeout)
        hearing = asyncio.create_task(self._hear(ear, news))
        hearing.add_done_callback(lambda _: news.set())
        try:
            await _heard(news, hearing)
            hand = await open_mailbox(*self._where, patience=self._timeout)
            hand.when_lost(news.set)
            try:
                await self._read(ear, hand, news, hearing)
            finally:
                await hand.close()
        finally:
            hearing.cancel()
            await asyncio.wait([hearing])
            await ear.close()

    async def _hear(self, ear: Mailbox, news: asyncio.Event) -> None:
        while True:
            await ear.idle(self._idle_seconds, news)

    async def _read(self, ear: Mailbox, hand: Mailbox, news: asyncio.Event, hearing: asyncio.Task[None]) -> None:
        if ear.validity != hand.validity:
            raise MailboxLost("the mailbox was renumbered while it was opened")
        await self._take_up(hand)
        self._tell(ListenerState("listening"))
        found: int | None = None
        while True:
            news.clear()
            found = await self._look(ear, hand, found)
            await _heard(news, hearing)

    async def _look(self, ear: Mailbox, hand: Mailbox, found: int | None) -> int:
        """Handles what is new, and looks again while the ear was told of more than was found. Gives how many messages
        count as found; None before the first look, which finds all that was there."""
        pause, until = FIRST_LOOK, clock.monotonic() + LOOKING
        while True:
            late = clock.monotonic() > until
            handled = await self._handle_new(hand)
            found = ear.told if found is None or late else found + handled
            if found >= ear.told:
                return found
            await clock.pause(pause)
            pause = min(2 * pause, LONGEST_LOOK)

    async def _take_up(self, mailbox: Mailbox) -> None:
        try:
            position = await self._position()
        except Exception as error:
            raise _NotRecorded(f"the last position is not known: {error}") from error
        # Renumbered, or never seen: every message is looked at; who keeps them knows which it has.
        self._last = position[1] if position is not None and position[0] == mailbox.validity else 0

    async def _handle_new(self, mailbox: Mailbox) -> int:
        """How many there were."""
        new = await mailbox.after(self._last, deadline=self._download_seconds)
        for each in new:
            await self._handle(mailbox, each.uid, each.size)
            self._last = each.uid
        return len(new)

    async def _handle(self, mailbox: Mailbox, uid: int, size: int) -> None:
        incoming = await self._fetched(mailbox, uid, size)
        if incoming is None:
            return
        failure: Exception | None = None
        for attempt in range(ATTEMPTS):
            if attempt:
                await self._pause(attempt)
            try:
                await self._on_message(incoming)
            except Exception as error:  # noqa: BLE001 - one message must not stop the others; it is recorded below
                failure = error
            else:
                return
        if failure is not None:
            await self._stuck(incoming, failure)

    async def _fetched(self, mailbox: Mailbox, uid: int, size: int) -> Incoming | None:
        """None: it is gone, or was told of as stuck, because it broke the line again and again."""
        place = (mailbox.validity, uid)
        if self._strikes.get(place, 0) >= STRIKES:
            gone = MailboxLost(f"it broke the line {STRIKES} times while it was fetched")
            await self._stuck(Incoming(mailbox.validity, uid, b"", size, whole=False), gone)
            return None
        whole = size <= self._size_limit
        try:
            if whole:
                raw = await mailbox.octets(uid, deadline=self._download_seconds)
            else:
                raw = await mailbox.head(uid, deadline=self._download_seconds)
        except MailboxLost:
            self._strikes[place] = self._strikes.get(place, 0) + 1
            raise
        self._strikes.pop(place, None)
        return None if raw is None else Incoming(mailbox.validity, uid, raw, size, whole)

    async def _stuck(self, incoming: Incoming, failure: Exception) -> None:
        self._tell(ListenerState("stuck", f"message {incoming.uid}: {type(failure).__name__}: {failure}"))
        try:
            await self._position()
            if self._on_poison is not None:
                await self._on_poison(incoming, failure)
        except Exception as error:
            raise _NotRecorded(f"message {incoming.uid} could not be recorded: {error}") from error

    async def _pause(self, tries: int) -> None:
        first, longest = self._backoff
        await clock.pause(min(longest, first * 2 ** max(0, tries - 1)) * self._rng.uniform(0.5, 1.0))

    def _tell(self, state: ListenerState) -> None:
        if self._on_state is not None:
            self._on_state(state)


async def _heard(news: asyncio.Event, hearing: asyncio.Task[None]) -> None:
    """Raises what ended the ear."""
    if not hearing.done():
        await news.wait()
    if hearing.done():
        hearing.result()
