"""A desk's listener on a scripted mail server, and what it kept of what it heard."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from tests.support.mail import DEADLINE, PASSWORD, ScriptedImap

from deskworld_desk.mail.listener import Incoming, Listener, ListenerState

LETTER = b"From: a@x.example\r\nSubject: s\r\n\r\nbody\r\n"


@dataclass
class Desk:
    """What a desk keeps of its mail, in a list."""

    heard: list[Incoming] = field(default_factory=list)
    states: list[ListenerState] = field(default_factory=list)
    poison: list[int] = field(default_factory=list)
    position: tuple[int, int] | None = None
    breaks_on: Callable[[Incoming], bool] = lambda _: False
    store_down: bool = False
    asked: int = 0
    noted: asyncio.Event = field(default_factory=asyncio.Event)
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def last(self) -> tuple[int, int] | None:
        self.asked += 1
        if self.store_down and self.asked > 1:
            raise ConnectionError("no database")
        return self.position

    async def take(self, incoming: Incoming) -> None:
        if self.store_down or self.breaks_on(incoming):
            raise ValueError("this one breaks the desk")
        await self._keep(incoming)

    async def take_poison(self, incoming: Incoming, failure: Exception) -> None:
        self.poison.append(incoming.uid)
        await self._keep(incoming)

    async def _keep(self, incoming: Incoming) -> None:
        self.heard.append(incoming)
        self.position = (incoming.uidvalidity, incoming.uid)
        async with self.changed:
            self.changed.notify_all()

    def note(self, state: ListenerState) -> None:
        self.states.append(state)
        self.noted.set()

    async def in_state(self, name: str) -> None:
        try:
            async with asyncio.timeout(DEADLINE):
                while not any(state.name == name for state in self.states):
                    self.noted.clear()
                    await self.noted.wait()
        except TimeoutError:
            raise AssertionError(f"waited {DEADLINE} s for {name}, saw {self.states}") from None

    async def hears(self, count: int) -> list[int]:
        async def wait() -> None:
            async with self.changed:
                await self.changed.wait_for(lambda: len(self.heard) >= count)

        try:
            await asyncio.wait_for(wait(), DEADLINE)
        except TimeoutError:
            said = [f"{state.name} {state.detail}" for state in self.states[-5:]]
            raise AssertionError(f"waited {DEADLINE} s for {count} messages, got {self.uids}; states {said}") from None
        return self.uids

    @property
    def uids(self) -> list[int]:
        return [each.uid for each in self.heard]


@asynccontextmanager
async def listening(server: ScriptedImap, desk: Desk, **settings: object) -> AsyncIterator[None]:
    chosen: dict[str, object] = {"timeout": 5.0, "backoff": (0.01, 0.05), "rng": random.Random(1), **settings}
    listener = Listener(
        host="127.0.0.1",
        port=server.port,
        login="desk",
        password=PASSWORD,
        position=desk.last,
        on_message=desk.take,
        on_state=desk.note,
        **chosen,  # type: ignore[arg-type]
    )
    running = asyncio.create_task(listener.run())
    try:
        yield
    finally:
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
