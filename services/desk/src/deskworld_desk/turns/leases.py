"""A turn belongs to its client for as long as the client shows that it lives."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta

from deskworld_kit import clock

LEASE = timedelta(seconds=30)
# of a turn whose client cannot beat while its model thinks; a call renews it
LONG_LEASE = timedelta(seconds=120)
# a heartbeat that was on its way when the lease ended still counts
GRACE = timedelta(seconds=0.5)


class Leases:
    """One timer per running turn; the row says until when, the timer only looks."""

    def __init__(self) -> None:
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def watch(self, turn_id: str, until: datetime, look: Callable[[], None]) -> None:
        self.forget(turn_id)
        seconds = max(0.0, (until + GRACE - clock.now()).total_seconds())
        self._timers[turn_id] = asyncio.get_running_loop().call_later(seconds, look)

    def forget(self, turn_id: str) -> None:
        timer = self._timers.pop(turn_id, None)
        if timer is not None:
            timer.cancel()
