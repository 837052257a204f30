"""Where agents wait for a turn. The rows say what is to be told; this only wakes one waiting client per case."""

import asyncio
from collections import deque


class Turnstile:
    def __init__(self) -> None:
        self._ready: deque[str] = deque()
        self._queued: set[str] = set()
        self._waiting: deque[asyncio.Future[str]] = deque()

    def offer(self, case_id: str) -> None:
        """Has something to tell. Offering a case twice before it is taken is the same as once."""
        if case_id in self._queued:
            return
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(case_id)
                return
        self._queued.add(case_id)
        self._ready.append(case_id)

    async def take(self, seconds: float) -> str | None:
        """The case that waited longest, or None when none came in time."""
        if self._ready:
            case_id = self._ready.popleft()
            self._queued.discard(case_id)
            return case_id
        if seconds <= 0:
            return None
        waiter: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        try:
            async with asyncio.timeout(seconds):
                return await waiter
        except TimeoutError:
            return None
        finally:
            if waiter in self._waiting:
                self._waiting.remove(waiter)
            if waiter.done() and not waiter.cancelled() and asyncio.current_task() is not None:
                self._hand_back(waiter)

    def _hand_back(self, waiter: asyncio.Future[str]) -> None:
        """A waiter that was served and cancelled at the same moment must not lose the case."""
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            self.offer(waiter.result())
