"""One campaign of the harness in this process, so that a kill comes at a known point of it."""

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.soak.compose.engine import Engine
from tests.soak.compose.plan import Kill
from tests.soak.compose.watching import Watch

from deskworld import run
from deskworld.doors import clock
from deskworld.values.campaign import Campaign, Settings
from deskworld.values.verdict import Verdict
from deskworld.world import World
from deskworld.worlds import WORLDS

BUNDLES = Path("build/soak-compose")


@dataclass(frozen=True, slots=True)
class Killed:
    part: str
    pid: int
    done: int
    planned: int
    in_flight: int
    moved: str
    away: float


@dataclass(frozen=True, slots=True)
class Played:
    campaign: Campaign
    verdicts: tuple[Verdict, ...]
    most: int
    """How many cases were in flight at the same time, at most."""
    killed: tuple[Killed, ...] = ()

    @property
    def failed(self) -> tuple[Verdict, ...]:
        return tuple(one for one in self.verdicts if not one.passed)

    @property
    def bundle(self) -> Path:
        return Path(self.campaign.bundle)


class Pace:
    """How far a campaign is, and whoever waits for a point of it."""

    def __init__(self) -> None:
        self.now = run.Progress(planned=0, done=0, passed=0, in_flight=0)
        self.most = 0
        self.over = False
        self._moved = asyncio.Event()

    def tell(self, progress: run.Progress) -> None:
        self.now, self.most = progress, max(self.most, progress.in_flight)
        self._moved.set()

    def end(self) -> None:
        self.over = True
        self._moved.set()

    async def reached(self, share: float) -> bool:
        """False when the campaign ended before that point of it was seen."""
        while not self.over:
            if self.now.planned and self.now.done >= share * self.now.planned:
                return self.now.in_flight > 0
            self._moved.clear()
            await self._moved.wait()
        return False


async def played(engine: Engine, settings: Settings, pace: Pace, worlds: Mapping[str, World] = WORLDS) -> Played:
    """Raises HarnessError."""
    try:
        done, verdicts = await run.campaign(
            settings, worlds=worlds, stack=engine.stack, runs=BUNDLES, nonce=secrets.token_hex(8), tell=pace.tell
        )
    finally:
        pace.end()
    return Played(done, verdicts, pace.most)


async def under_kills(engine: Engine, settings: Settings, kills: Sequence[Kill], watch: Watch) -> Played:
    """The campaign, with every kill that its length left room for."""
    pace, killed = Pace(), list[Killed]()
    async with asyncio.TaskGroup() as group:
        playing = group.create_task(played(engine, settings, pace))
        group.create_task(_killing(engine, kills, pace, watch, killed))
    done = playing.result()
    return Played(done.campaign, done.verdicts, done.most, tuple(killed))


async def _killing(engine: Engine, kills: Sequence[Kill], pace: Pace, watch: Watch, killed: list[Killed]) -> None:
    for kill in kills:
        if not await pace.reached(kill.after):
            return
        await clock.pause(kill.delay)
        now, moved = pace.now, watch.in_words()
        if pace.over or not now.in_flight:
            return
        pid = await engine.kill(kill.part)
        away = await engine.back(kill.part, instead_of=pid)
        killed.append(Killed(kill.part, pid, now.done, now.planned, now.in_flight, moved, away))
