"""Hearing of mail the moment it arrives: each message once, in UID order, through reconnects and renumbered mailboxes.

Knows nothing of what a message means, or where it is kept.
"""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from deskworld_desk.mail.imap import Mailbox, MailboxLost, open_mailbox
from deskworld_kit import clock

SIZE_LIMIT = 25 * 1024 * 1024
# RFC 2177: a server may log out a client that idles for 30 minutes.
IDLE_CEILING = 29 * 60
ATTEMPTS = 3
# Not every server tells in IDLE of what came just before it: after mail, the first look comes this soon (seconds), then
# each after twice as long.
FIRST_IDLE = 1.0
_SIZES_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message as it lies in the mailbox. Above the size limit `raw` is empty and `size` says why."""

    uidvalidity: int
    uid: int
    raw: bytes
    size: int


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
        size_limit: int = SIZE_LIMIT,
        idle_seconds: float = 5 * 60,  # also how soon a dead line is found out, and the safety net's interval
        timeout: float = 10.0,  # seconds a server may be silent within one command
        download_seconds: float = 120.0,  # for one whole message
        backoff: tuple[float, float] = (0.1, 30.0),  # seconds: first pause, longest pause
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
        mailbox = await open_mailbox(*self._where, patience=self._timeout)
        try:
            await self._take_up(mailbox)
            self._tell(ListenerState("listening"))
            quiet = FIRST_IDLE
            while True:
                told = mailbox.arrivals
                quiet = FIRST_IDLE if await self._handle_new(mailbox) else quiet
                # Mail told of since the search began may be missing from it, and IDLE will not tell of it again.
                if mailbox.arrivals == told:
                    await mailbox.idle(min(quiet, self._idle_seconds))
                    quiet = min(2 * quiet, self._idle_seconds)
        finally:
            await mailbox.close()

    async def _take_up(self, mailbox: Mailbox) -> None:
        try:
            position = await self._position()
        except Exception as error:
            raise _NotRecorded(f"the last position is not known: {error}") from error
        # Renumbered, or never seen: every message is looked at; who keeps them knows which it has.
        self._last = position[1] if position is not None and position[0] == mailbox.validity else 0

    async def _handle_new(self, mailbox: Mailbox) -> bool:
        """Whether there was any."""
        uids = await mailbox.after(self._last)
        for start in range(0, len(uids), _SIZES_AT_ONCE):
            batch = uids[start : start + _SIZES_AT_ONCE]
            sizes = await mailbox.sizes(batch)
            for uid in batch:
                if uid in sizes:
                    await self._handle(mailbox, uid, sizes[uid].size)
                self._last = uid
        return bool(uids)

    async def _handle(self, mailbox: Mailbox, uid: int, size: int) -> None:
        raw: bytes | None = b""
        if size <= self._size_limit:
            raw = await mailbox.octets(uid, deadline=self._download_seconds)
        if raw is None:
            return
        incoming = Incoming(mailbox.validity, uid, raw, size)
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
