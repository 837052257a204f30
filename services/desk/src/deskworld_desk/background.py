"""Work that outlives the request that began it. What it must not lose stands in rows and is picked up at start-up."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any

import structlog

from deskworld_desk.outage import persistently

log = structlog.get_logger(__name__)


class Background:
    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, Any], *, name: str) -> asyncio.Task[Any]:
        """Runs the work to its end. An unexpected error is logged here; the rows stay as they were."""
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def start_due(self, work: Callable[[], Awaitable[Any]], *, name: str) -> asyncio.Task[Any]:
        """The same for work that rows call due: it outlasts an outage of the database."""
        return self.start(persistently(work, doing=name), name=name)

    def running(self, name: str) -> asyncio.Task[Any] | None:
        return next((task for task in self._tasks if task.get_name() == name and not task.done()), None)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.error("background work broke", work=task.get_name(), exc_info=error)

    async def stop(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class Alarm:
    """One timer, which rings at the earliest moment that it was set to; the rows say what is due, this only looks."""

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None

    def set(self, seconds: float, look: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        at = loop.time() + max(0.0, seconds)
        if self._timer is None or at < self._timer.when():
            self.stop()
            self._timer = loop.call_at(at, self._ring, look)

    def _ring(self, look: Callable[[], None]) -> None:
        self._timer = None
        look()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Sweep:
    """Takes up all that is due. Asked for while at work it does it once more, for what came up behind its back."""

    def __init__(self, background: Background, work: Callable[[], Awaitable[Any]], *, name: str) -> None:
        self._background, self._work, self._name = background, work, name
        self._asked = False

    def __call__(self) -> None:
        self._asked = True
        if self._background.running(self._name) is None:
            self._background.start(self._while_asked(), name=self._name)

    async def _while_asked(self) -> None:
        while self._asked:
            self._asked = False
            await persistently(self._work, doing=self._name)


async def one_by_one(take: Callable[[], Awaitable[str]], work: Callable[[str], Awaitable[Any]], *, name: str) -> None:
    """A worker without end: what breaks on one row is logged, and the next one follows."""
    while True:
        row_id = await take()
        try:
            await persistently(partial(work, row_id), doing=f"{name} {row_id}")
        except Exception:
            log.exception("background work broke", work=name, row=row_id)
