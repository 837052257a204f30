"""One agent's cases, played into one bundle: what is the same whoever plays, and however often."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from deskworld import agents, bundle, compiler, play
from deskworld.doors import clock
from deskworld.planning import Planned, tag
from deskworld.scoring import score
from deskworld.values.campaign import Settings
from deskworld.values.case import Case
from deskworld.values.verdict import Verdict
from deskworld.world import Site, World


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a campaign is; told after every change."""

    planned: int
    done: int
    passed: int
    in_flight: int
    last: Verdict | None = None


class Board:
    """Counts what is in flight and done."""

    def __init__(self, planned: int, tell: Callable[[Progress], None]) -> None:
        self.planned = planned
        self._tell = tell
        self._done = self._passed = self._in_flight = 0

    @asynccontextmanager
    async def playing(self) -> AsyncIterator[Callable[[Verdict], None]]:
        self._in_flight += 1
        self._say(None)
        done: list[Verdict] = []
        try:
            yield done.append
        finally:
            self._in_flight -= 1
            for verdict in done:
                self.count(verdict)

    def count(self, verdict: Verdict) -> None:
        self._done += 1
        self._passed += verdict.passed
        self._say(verdict)

    def _say(self, last: Verdict | None) -> None:
        self._tell(Progress(self.planned, self._done, self._passed, self._in_flight, last))


@dataclass(slots=True)
class Leg:
    """`before`: a bundle that was cut off; what is whole in it is taken over and not played again."""

    settings: Settings
    world: World
    site: Site
    nonce: str
    book: bundle.Bundle
    board: Board
    before: bundle.CutOff | None = None
    done: dict[int, Verdict] = field(default_factory=dict)

    async def play(self, planned: Iterable[Planned], cast: agents.Cast, *, side_by_side: int) -> float:
        """Seconds that it took. Raises BundleFailed, ScenarioInvalid, and whatever cancels it."""
        started = clock.monotonic()
        cases = {one.index: self._case(one) for one in self._to_play(planned)}
        places = asyncio.Semaphore(side_by_side)

        async def one(index: int) -> None:
            async with places, self.board.playing() as finish:
                verdict = await self._play_one(index, cases.pop(index), cast)
                self.done[index] = verdict
                finish(verdict)

        async with asyncio.TaskGroup() as group:
            for index in tuple(cases):
                group.create_task(one(index))
        return clock.monotonic() - started

    def verdicts(self) -> tuple[Verdict, ...]:
        """In the order of the plan."""
        return tuple(self.done[index] for index in sorted(self.done))

    def _to_play(self, planned: Iterable[Planned]) -> Sequence[Planned]:
        missing = []
        for one in planned:
            played = (one.scenario.name, one.seed)
            if self.before is None or played not in self.before.whole:
                missing.append(one)
                continue
            content, case = self.before.read(played)
            self.book.take_over(one.index, content, case.verdict)
            self.done[one.index] = case.verdict
            self.board.count(case.verdict)
        return missing

    def _case(self, one: Planned) -> Case:
        return compiler.compile_case(
            one.scenario,
            seed=one.seed,
            tag=tag(self.nonce, one.index),
            rules=self.settings.rules,
            world=self.world,
        )

    async def _play_one(self, index: int, case: Case, cast: agents.Cast) -> Verdict:
        limits = play.Limits(timeout=self.settings.timeout, stall=self.settings.stall)
        record = await play.play(case, self.site, self.world, limits, on_seeded=cast.hand_out)
        evidence = await play.witnessed(record, self.site)
        verdict = score(case, record, evidence, self.world.checks)
        self.book.append(index, record, evidence, verdict)
        return verdict
