"""A gate before everybody whom the script plays: behind it cases wait for an agent, a decider or a letter, for as long
as it takes to restart the company."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from deskworld.values.case import Case, Seeded
from deskworld.values.evidence import Evidence
from deskworld.values.record import Move, Record
from deskworld.values.stack import Stack
from deskworld.world import Feed, Happening, Seen, Site, World


class Gate:
    """Shut at first. Opening it wakes every play that is waiting."""

    def __init__(self) -> None:
        self._open = False
        self._feeds: set[Feed] = set()

    def open(self) -> None:
        self._open = True
        for feed in self._feeds:
            feed.put_nowait(Happening())

    def before(self, world: World) -> World:
        """The same world, in which nobody moves before the gate is open."""

        def due(seen: Seen) -> tuple[Move, ...]:
            return world.due(seen) if self._open else ()

        def awaits(seen: Seen) -> str | None:
            return world.awaits(seen) if self._open else "the company is going to be restarted"

        @asynccontextmanager
        async def opened(stack: Stack) -> AsyncIterator[Site]:
            async with world.open(stack) as site:
                yield _Followed(site, self._feeds)

        return replace(world, due=due, awaits=awaits, open=opened)


class _Followed:
    """A site that remembers who follows what."""

    def __init__(self, site: Site, feeds: set[Feed]) -> None:
        self._site = site
        self._feeds = feeds

    @asynccontextmanager
    async def follow(self, case: Case) -> AsyncIterator[Feed]:
        async with self._site.follow(case) as feed:
            self._feeds.add(feed)
            try:
                yield feed
            finally:
                self._feeds.discard(feed)

    async def stage(self, case: Case) -> Seeded:
        return await self._site.stage(case)

    async def act(self, case: Case, move: Move) -> Move:
        return await self._site.act(case, move)

    async def collect(self, record: Record) -> Evidence:
        return await self._site.collect(record)

    async def open_cases(self) -> int:
        return await self._site.open_cases()
