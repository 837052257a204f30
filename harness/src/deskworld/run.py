"""Read this first: one campaign, from settings to a summary.

The one wiring place: it chooses the scenarios, opens the world's doors, starts the agent, plays the cases side by side,
scores each, and writes it down. It knows no door and no world by name.
"""

import asyncio
import hashlib
from base64 import b32encode
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from deskworld import acceptance, agents, bundle, catalogue, compiler, gates, play, report
from deskworld.doors import clock
from deskworld.errors import DoorFailed, StackUnavailable, UsageWrong
from deskworld.manifest import manifest
from deskworld.scoring import score
from deskworld.values.campaign import Campaign, Settings
from deskworld.values.case import Case
from deskworld.values.evidence import Evidence
from deskworld.values.record import Record
from deskworld.values.scenario import Scenario
from deskworld.values.stack import Stack
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


@dataclass(frozen=True, slots=True)
class Planned:
    scenario: Scenario
    seed: int
    index: int


async def campaign(
    settings: Settings,
    *,
    worlds: Mapping[str, World],
    stack: Stack,
    runs: Path,
    nonce: str,
    tell: Callable[[Progress], None],
) -> tuple[Campaign, tuple[Verdict, ...]]:
    """Plays every planned case and closes the bundle, also when it is interrupted. Raises HarnessError.

    `nonce` makes this campaign's identities its own; it changes no verdict.
    """
    world = _world(worlds, settings.world)
    known = catalogue.load_all(world.scenarios)
    chosen = catalogue.select(known, names=settings.scenarios, category=settings.category, split=settings.split)
    asked = gates.fitting(gates.read(world.scenarios), known, world.outcomes, world.scenarios)
    planned = plan(chosen, settings)
    book = bundle.open_bundle(runs, manifest(settings, stack, world, chosen), at=clock.now())
    started = clock.monotonic()
    try:
        async with world.open(stack) as site:
            await _refuse_open_cases(site, settings)
            verdicts = await _play_all(planned, settings, world, site, stack, nonce, book, tell)
    except BaseException as ended:
        interrupted = isinstance(ended, asyncio.CancelledError)
        book.close("interrupted" if interrupted else "failed")
        raise
    done = report.summarise(
        settings,
        verdicts,
        stack=stack.id,
        bundle=str(book.folder),
        wall=clock.monotonic() - started,
        world=world,
        catalogue=known,
        assessment=acceptance.assess(
            settings, verdicts, catalogue=known, asked=asked, scripted=scripted(settings.agent)
        ),
    )
    book.write("report.json", report.as_json(done).encode())
    book.write("report.md", report.markdown(done, verdicts).encode())
    book.close("complete")
    return done, verdicts


def scripted(agent: str) -> bool:
    """Whether an agent's answer follows from the case: one failure of it is one too many."""
    return agent in set(agents.NAMES) - {"none"}


def plan(scenarios: tuple[Scenario, ...], settings: Settings) -> tuple[Planned, ...]:
    """Every scenario under every seed, seeds outermost: a campaign cut short has seen all scenarios alike."""
    seeds = range(settings.seed, settings.seed + settings.repetitions)
    pairs = [(seed, scenario) for seed in seeds for scenario in scenarios]
    return tuple(Planned(scenario, seed, index) for index, (seed, scenario) in enumerate(pairs))


def tag(nonce: str, index: int) -> str:
    """Ten letters and digits that no other case of any campaign has."""
    return b32encode(hashlib.sha256(f"{nonce}:{index}".encode()).digest()).decode().lower()[:10]


async def _play_all(
    planned: tuple[Planned, ...],
    settings: Settings,
    world: World,
    site: Site,
    stack: Stack,
    nonce: str,
    book: bundle.Bundle,
    tell: Callable[[Progress], None],
) -> tuple[Verdict, ...]:
    cases = {
        one.index: compiler.compile_case(
            one.scenario, seed=one.seed, tag=tag(nonce, one.index), rules=settings.rules, world=world
        )
        for one in planned
    }
    board = _Board(len(planned), tell)
    places = asyncio.Semaphore(settings.parallel)
    async with agents.working(settings.agent, stack, side_by_side=settings.parallel) as cast:

        async def one(index: int) -> Verdict:
            async with places, board.playing() as finish:
                verdict = await _play_one(cases[index], settings, world, site, cast, book, index)
                finish(verdict)
                return verdict

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(each.index)) for each in planned]
    return tuple(task.result() for task in tasks)


async def _play_one(
    case: Case, settings: Settings, world: World, site: Site, cast: agents.Cast, book: bundle.Bundle, index: int
) -> Verdict:
    limits = play.Limits(timeout=settings.timeout, stall=settings.stall)
    record = await play.play(case, site, world, limits, on_seeded=cast.hand_out)
    evidence = await _evidence(record, site)
    verdict = score(case, record, evidence, world.checks)
    book.append(index, record, evidence, verdict)
    return verdict


async def _evidence(record: Record, site: Site) -> Evidence | None:
    """None is a missing witness, and so never a pass."""
    if record.seeded is None:
        return None
    try:
        return await site.collect(record)
    except DoorFailed:
        return None


async def _refuse_open_cases(site: Site, settings: Settings) -> None:
    count = await site.open_cases()
    if count and not settings.shared:
        raise StackUnavailable(
            f"the stack still works on {count} case{'s' if count > 1 else ''} of somebody else",
            next_step="wait for them, take another stack, or say --shared (it is recorded)",
        )


def _world(worlds: Mapping[str, World], name: str) -> World:
    if name not in worlds:
        raise UsageWrong(f"there is no world {name!r}", next_step=f"there are: {', '.join(worlds)}")
    return worlds[name]


class _Board:
    """Counts what is in flight and done."""

    def __init__(self, planned: int, tell: Callable[[Progress], None]) -> None:
        self._planned = planned
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
                self._done += 1
                self._passed += verdict.passed
                self._say(verdict)

    def _say(self, last: Verdict | None) -> None:
        self._tell(Progress(self._planned, self._done, self._passed, self._in_flight, last))
