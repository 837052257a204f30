"""Where agents wait for a turn. The rows say what is to be told; this only wakes one waiting client per case.

Cases and clients are served in the order in which they came. While agents are held, cases gather and nobody is served.
"""

import asyncio
from collections import deque
from collections.abc import Iterable


class Turnstile:
    def __init__(self) -> None:
        self._ready: deque[str] = deque()
        self._queued: set[str] = set()
        self._waiting: deque[asyncio.Future[str]] = deque()
        self._held = False
        self.turning = asyncio.Lock()
        """Whoever stops or releases it: what stands in rows and what it does change together."""

    @property
    def held(self) -> bool:
        return self._held

    @property
    def clients(self) -> int:
        """How many wait for a turn."""
        return len(self._waiting)

    def offer(self, case_id: str) -> None:
        """Has something to tell. Offering a case twice before it is taken is the same as once."""
        if case_id not in self._queued:
            self._queued.add(case_id)
            self._ready.append(case_id)
            self._serve()

    def hand_back(self, case_id: str) -> None:
        """Was taken, and nobody was told: it waited longest."""
        if case_id not in self._queued:
            self._queued.add(case_id)
            self._ready.appendleft(case_id)
            self._serve()

    def hold(self) -> None:
        self._held = True

    def release(self, oldest_first: Iterable[str]) -> None:
        """Serves again: these cases in this order, then those that came up since they were listed."""
        listed = dict.fromkeys(oldest_first)
        self._ready = deque([*listed, *(case_id for case_id in self._ready if case_id not in listed)])
        self._queued = set(self._ready)
        self._held = False
        self._serve()

    async def take(self, seconds: float, gone: "asyncio.Future[None] | None" = None) -> str | None:
        """The case that waited longest, or None when none came in time, or `gone` was done first."""
        waiter: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        self._serve()
        taken: str | None = None
        try:
            either: set[asyncio.Future[str] | asyncio.Future[None]] = {waiter} if gone is None else {waiter, gone}
            await asyncio.wait(either, timeout=max(0.0, seconds), return_when=asyncio.FIRST_COMPLETED)
            taken = waiter.result() if waiter.done() and (gone is None or not gone.done()) else None
        finally:
            # one that was served and hung up, or was cancelled, at the same moment must not lose the case
            if not waiter.done():
                self._waiting.remove(waiter)
            elif taken is None:
                self.hand_back(waiter.result())
        return taken

    def _serve(self) -> None:
        while self._ready and self._waiting and not self._held:
            case_id = self._ready.popleft()
            self._queued.discard(case_id)
            self._waiting.popleft().set_result(case_id)
