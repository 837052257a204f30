"""Whether somebody who is sent to is well: while they are not, one asks after them at a time, with growing pauses."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from random import Random

from deskworld_kit import clock


@dataclass(frozen=True, slots=True)
class Backoff:
    """Seconds; each pause is drawn between half and all of the doubled one. The defaults give up after four minutes
    what is refused, and after an hour what nobody was there to take."""

    first: float = 0.05
    most: float = 10.0
    attempts: int = 30
    attempts_while_away: int = 480

    def pause(self, attempt: int, randomness: Random) -> float:
        full: float = min(self.most, self.first * 2.0 ** min(attempt - 1, 30))
        return full * (0.5 + randomness.random() / 2)


class Gate:
    """Open while the receiver is well. Closed, it lets one through at a time, in turn, each after a pause: a receiver
    that is down costs next to nothing, however much waits for it."""

    def __init__(self, backoff: Backoff, randomness: Random) -> None:
        self._backoff = backoff
        self._randomness = randomness
        self._failures = 0
        self._until = float("-inf")
        self._one_at_a_time = asyncio.Lock()

    @asynccontextmanager
    async def passed(self) -> AsyncIterator[None]:
        """Send inside of this, and say how it went before leaving."""
        if not self._failures:
            yield
            return
        async with self._one_at_a_time:
            if self._failures:
                await clock.pause(max(0.0, self._until - clock.monotonic()))
                yield
                return
        yield

    def well(self) -> None:
        self._failures = 0

    def unwell(self, *, wait: float = 0.0) -> None:
        """`wait`: seconds that the receiver asked for. Those who were let through together count once."""
        now = clock.monotonic()
        if self._failures and now < self._until:
            return
        self._failures += 1
        pause = self._backoff.pause(self._failures, self._randomness)
        self._until = now + max(pause, min(wait, self._backoff.most))
