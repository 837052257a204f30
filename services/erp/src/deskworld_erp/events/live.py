"""Who follows the events while they come: told at each commit, by the database's own notification."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import structlog

from deskworld_kit import clock
from deskworld_kit.gate import Backoff
from deskworld_kit.lending import LeanEngine

log = structlog.get_logger(__name__)


class Live:
    """Listens on one connection while there is somebody to tell."""

    def __init__(self, connections: LeanEngine, *, channel: str = "outbox", backoff: Backoff | None = None) -> None:
        self._connections = connections
        self._channel = channel
        self._backoff = backoff or Backoff()
        self._followers: set[asyncio.Event] = set()
        self._listening: asyncio.Task[None] | None = None

    @contextmanager
    def following(self) -> Iterator[asyncio.Event]:
        """Set when there may be something new, and after an outage."""
        news = asyncio.Event()
        self._followers.add(news)
        if self._listening is None:
            self._listening = asyncio.create_task(self._listen(), name=f"{self._channel}-live")
        try:
            yield news
        finally:
            self._followers.discard(news)
            if not self._followers:
                self._listening.cancel()
                self._listening = None

    async def _listen(self) -> None:
        """However the connection ends, another one follows."""
        attempt, randomness = 0, Random(self._channel)  # noqa: S311 - it spreads retries, it keeps no secret
        while True:
            session = asyncio.create_task(self._session())
            try:
                await asyncio.wait([session])
            finally:
                session.cancel()
                await asyncio.wait([session])
            attempt += 1
            log.warning("events are not heard", ended="cancelled" if session.cancelled() else repr(session.exception()))
            await clock.pause(self._backoff.pause(attempt, randomness))

    async def _session(self) -> None:
        ended = asyncio.Event()
        async with self._connections.lent() as connection:
            driver = connection.driver
            driver.add_termination_listener(lambda _: ended.set())
            await driver.add_listener(self._channel, lambda *_: self._tell())
            try:
                self._tell()
                await ended.wait()
            finally:
                await connection.invalidate()

    def _tell(self) -> None:
        for news in self._followers:
            news.set()
