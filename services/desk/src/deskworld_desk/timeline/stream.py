"""Who listens to the timeline: every committed row once, in cursor order, each transaction followed by its views."""

import asyncio
import heapq
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import structlog

from deskworld_desk.outage import persistently

log = structlog.get_logger(__name__)
GAP_SECONDS = 2.0
BACKLOG = 20_000


@dataclass(frozen=True, slots=True, order=True)
class Published:
    """What one transaction said: its rows' cursors are `first` … `first + count - 1`."""

    first: int
    count: int = field(compare=False)
    messages: tuple[bytes, ...] = field(compare=False)


@dataclass(slots=True, eq=False)
class Listener:
    """Holds what was published after `cursor`. `lost` once the listener fell too far behind."""

    cursor: int
    queue: asyncio.Queue[Published]
    lost: bool = False


class Broadcast:
    """Commits may be told out of order by tasks that raced: they are put back into cursor order here."""

    def __init__(self, *, last: int, fill: Callable[[int, int], Awaitable[Published]], backlog: int = BACKLOG) -> None:
        self._backlog = backlog
        self.last = last
        self._fill = fill
        self._early: list[Published] = []
        self._listeners: set[Listener] = set()
        self._gap: asyncio.Task[None] | None = None
        self._moved = asyncio.Event()

    def publish(self, first: int, count: int, messages: Sequence[bytes]) -> None:
        heapq.heappush(self._early, Published(first, count, tuple(messages)))
        self._drain()
        if self._early and self._gap is None:
            self._gap = asyncio.get_running_loop().create_task(self._close_gap())

    async def catch_up(self, head: int) -> None:
        """After an outage: a commit whose outcome nobody heard may have put rows up to `head` into the table."""
        while head > self.last:
            heapq.heappush(self._early, await self._fill(self.last + 1, head))
            self._drain()

    def listen(self) -> Listener:
        listener = Listener(self.last, asyncio.Queue())
        self._listeners.add(listener)
        return listener

    def leave(self, listener: Listener) -> None:
        self._listeners.discard(listener)

    def _drain(self) -> None:
        while self._early and self._early[0].first <= self.last + 1:
            ready = heapq.heappop(self._early)
            if ready.first <= self.last:
                continue
            self.last = ready.first + ready.count - 1
            self._moved.set()
            for listener in self._listeners:
                if listener.queue.qsize() >= self._backlog:
                    listener.lost = True
                else:
                    listener.queue.put_nowait(ready)

    async def _close_gap(self) -> None:
        """A transaction that committed without saying so (its connection broke) is read back from the table."""
        try:
            while self._early:
                self._moved.clear()
                try:
                    await asyncio.wait_for(self._moved.wait(), GAP_SECONDS)
                except TimeoutError:
                    unheard = partial(self._fill, self.last + 1, self._early[0].first - 1)
                    missing = await persistently(unheard, doing="reading back rows")
                    log.warning("rows read back", first=missing.first, count=missing.count)
                    heapq.heappush(self._early, missing)
                    self._drain()
        finally:
            self._gap = None
