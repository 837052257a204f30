"""Brings parts up in the order of facts, starts again what dies, and takes them down."""

import asyncio
import contextlib
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deskworld_embedded.errors import StackFailed, ended_early, from_os_error
from deskworld_embedded.files import last_words
from deskworld_embedded.supervisor.journal import Journal
from deskworld_embedded.supervisor.launcher import Launcher
from deskworld_embedded.supervisor.nursery import NurseryEnded
from deskworld_embedded.supervisor.parts import Part
from deskworld_embedded.supervisor.processes import Running
from deskworld_kit import clock

_SHORT_LIFE = 5.0
_LONGEST_PAUSE = 5.0
_BETWEEN_QUESTIONS = 0.015
_LONGEST_QUESTION = 5.0
_READY_AGAIN_WITHIN = 60.0
_TRIES = 3


class _Killed(StackFailed):
    """Ended from outside before it was ready."""


@dataclass(slots=True)
class Watched:
    """A part and how it is faring."""

    part: Part
    ready: asyncio.Future[float]
    state: str = "waiting"
    running: Running | None = None
    starts: int = 0
    short_lives: int = 0
    last_seen: str = ""
    log_from: int = 0
    last_end: str = ""
    keeper: asyncio.Task[None] | None = field(default=None, repr=False)

    def shown(self) -> dict[str, Any]:
        return {
            "state": self.state,
            "pid": self.running.pid if self.running else None,
            "restarts": max(0, self.starts - 1),
            "last_end": self.last_end or None,
        }


class Supervisor:
    """One per stack. `up` once, then `down` once."""

    def __init__(
        self,
        parts: Sequence[Part],
        *,
        launcher: Launcher,
        journal: Journal,
        about: Mapping[str, Any],
        began: float,
    ) -> None:
        loop = asyncio.get_running_loop()
        self._launcher = launcher
        self._journal = journal
        self._about = dict(about)
        self._began = began
        self._stopping = asyncio.Event()
        self._watched = {part.name: Watched(part, loop.create_future()) for part in parts}

    async def up(self, *, within: float) -> dict[str, float]:
        """Seconds until each part was ready. Raises StackFailed."""
        for watched in self._watched.values():
            watched.keeper = asyncio.create_task(self._keep(watched))
        waiting = [watched.ready for watched in self._watched.values()]
        done, missing = await asyncio.wait(waiting, timeout=within, return_when=asyncio.FIRST_EXCEPTION)
        for finished in done:
            finished.result()
        if missing:
            raise self._late(within)
        return {name: round(watched.ready.result(), 3) for name, watched in self._watched.items()}

    def _late(self, within: float) -> StackFailed:
        unready = [watched for watched in self._watched.values() if not watched.ready.done()]
        late = next((watched for watched in unready if watched.running), unready[0])
        seen = late.last_seen or "nothing"
        reason = f"not ready after {within:g} s; last seen: {seen}"
        if words := last_words(late.part.log, since=late.log_from):
            reason += f"; its log ends: {words}"
        return StackFailed(late.part.name, reason, next_step=f"read {late.part.log}, or allow more time with --within")

    async def down(self, *, grace: float) -> None:
        """Ends all parts, those that others wait for last. What does not end within `grace` seconds is killed."""
        self._stopping.set()
        remaining = dict(self._watched)
        while remaining:
            needed = {name for watched in remaining.values() for name in watched.part.after}
            wave = [watched for name, watched in remaining.items() if name not in needed] or list(remaining.values())
            await asyncio.gather(*(self._end(watched, grace) for watched in wave))
            for watched in wave:
                del remaining[watched.part.name]
        keepers = [watched.keeper for watched in self._watched.values() if watched.keeper]
        for keeper in keepers:
            keeper.cancel()
        await asyncio.gather(*keepers, return_exceptions=True)
        for watched in self._watched.values():
            if not watched.ready.cancel():
                watched.ready.exception()  # seen: it was reported, or the end was asked for before it came

    async def _end(self, watched: Watched, grace: float) -> None:
        running = watched.running
        if running is None:
            return
        running.send(watched.part.stop_signal)
        if not await running.end_within(grace):
            self._journal.note(
                "killed", part=watched.part.name, why=f"still there {grace:g} s after it was told to end"
            )
            running.send(signal.SIGKILL)
            await running.ended

    async def _keep(self, watched: Watched) -> None:
        part = watched.part
        try:
            await asyncio.gather(*(asyncio.shield(self._watched[name].ready) for name in part.after))
        except StackFailed as error:
            watched.ready.set_exception(error)
            return
        while not self._stopping.is_set():
            try:
                await self._live_once(watched)
            except (StackFailed, OSError, NurseryEnded) as error:
                watched.short_lives += 1
                watched.last_end = str(error)
                if self._is_hopeless(watched, error):
                    failure = from_os_error(part.name, error, doing="starting") if isinstance(error, OSError) else error
                    self._mark(watched, "failed", why=str(failure))
                    watched.ready.set_exception(failure)
                    return
                self._mark(watched, "died", how=str(error))
            await self._pause(watched)

    def _is_hopeless(self, watched: Watched, error: Exception) -> bool:
        """Before it was ever ready, a part that says itself that it cannot run is believed; one that was killed gets
        three tries. Later it is started again for as long as the stack lives."""
        if watched.ready.done():
            return False
        return not isinstance(error, NurseryEnded | _Killed) or watched.short_lives >= _TRIES

    async def _live_once(self, watched: Watched) -> None:
        """From start to end. Raises StackFailed, OSError and NurseryEnded."""
        part = watched.part
        began = clock.monotonic()
        await part.prepare()
        if self._stopping.is_set():
            return
        watched.log_from = part.log.stat().st_size if part.log.exists() else 0
        running = watched.running = await self._launcher.start(part)
        watched.starts += 1
        self._mark(watched, "starting")
        checking = asyncio.create_task(self._make_ready(watched, running))
        try:
            waiting: list[asyncio.Future[Any]] = [running.ended, checking]
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if not running.ended.done():
                checking.result()
                await running.ended
        finally:
            checking.cancel()
            running.send(signal.SIGKILL)
            how = await running.ended
            watched.running = None
        if self._stopping.is_set():
            self._mark(watched, "ended")
            return
        if not watched.ready.done():
            failure = ended_early(part.name, f"{how} before it was ready", part.log, since=watched.log_from)
            if how.startswith("ended with status"):
                raise failure
            raise _Killed(part.name, failure.reason, next_step=failure.next_step)
        watched.short_lives = watched.short_lives + 1 if clock.monotonic() - began < _SHORT_LIFE else 0
        watched.last_end = how
        self._mark(watched, "died", how=how)

    async def _make_ready(self, watched: Watched, running: Running) -> None:
        part = watched.part
        try:
            async with asyncio.timeout(_READY_AGAIN_WITHIN):
                for probe in part.probes:
                    while (seen := await _asked(probe.ask())) is not None:
                        watched.last_seen = seen
                        if await running.end_within(_BETWEEN_QUESTIONS):
                            return
                await part.settle()
        except TimeoutError:
            why = f"not ready after {_READY_AGAIN_WITHIN:g} s; last seen: {watched.last_seen or 'nothing'}"
            self._journal.note("killed", part=part.name, why=why)
            running.send(signal.SIGKILL)
            return
        if not watched.ready.done():
            watched.ready.set_result(clock.monotonic() - self._began)
        self._mark(watched, "ready", seconds=round(clock.monotonic() - self._began, 3))

    async def _pause(self, watched: Watched) -> None:
        """The first death is answered at once; a part that keeps dying young is given more and more time."""
        if watched.short_lives > 1:
            seconds = min(_LONGEST_PAUSE, 0.1 * 2 ** (watched.short_lives - 2))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), seconds)

    def _mark(self, watched: Watched, state: str, **values: Any) -> None:
        watched.state = state
        pid = watched.running.pid if watched.running else None
        self._journal.note(state, part=watched.part.name, pid=pid, starts=watched.starts, **values)
        parts = {name: each.shown() for name, each in self._watched.items()}
        self._journal.show({**self._about, "nursery": self._launcher.nursery.pid, "parts": parts})


async def _asked(question: Any) -> str | None:
    try:
        async with asyncio.timeout(_LONGEST_QUESTION):
            answer: str | None = await question
            return answer
    except TimeoutError:
        return f"no answer within {_LONGEST_QUESTION:g} s"
