"""One case as a test: played on a stack, graded as a campaign grades it, and handed back as a value."""

import asyncio
import secrets
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal, cast

from deskworld import acceptance, agents, catalogue, compiler, gates, planning
from deskworld import play as playing
from deskworld.errors import UsageWrong
from deskworld.scoring import score
from deskworld.values.campaign import Settings
from deskworld.values.scenario import Scenario
from deskworld.values.stack import Stack
from deskworld.values.verdict import Verdict
from deskworld.world import Site, World
from deskworld.worlds import WORLDS
from deskworld_agent.work import Act

Agent = str | Act
"""A name as `harness run --agent` has it, or the async function itself."""


@dataclass(frozen=True, slots=True)
class Played:
    """What one case came to. Shown in a failed assertion it says what was expected and seen."""

    verdict: Verdict
    settings: Settings

    @property
    def passed(self) -> bool:
        return self.verdict.passed

    def __repr__(self) -> str:
        one = self.verdict
        said = [f"{one.scenario} seed {one.seed}: {'passed' if one.passed else 'failed'}"]
        said += [f"  {one.broken}"] if one.broken else []
        for check in one.checks:
            said += [
                f"  {check.family}, {check.name}: expected {found.expected}; seen {found.seen}"
                for found in check.findings
            ]
        return "\n".join(said)


def play(name: str, agent: Agent, stack: Stack, *, rules: str = "on", seed: int = 7, world: str = "ap") -> Played:
    """From a test with a loop of its own or without one. Raises HarnessError."""
    if rules not in {"on", "off"}:
        raise UsageWrong(f"rules={rules!r}", next_step='"on" or "off"')
    called = agent if isinstance(agent, str) else agents.named(agent)
    if isinstance(agent, str):
        agents.check(agent)
    fixed = cast("Literal['on', 'off']", rules)
    settings = Settings(world=world, scenarios=(name,), agent=called, rules=fixed, seed=seed, label="pytest")
    limits = playing.Limits(timeout=settings.timeout, stall=settings.stall)
    return Played(_on_a_loop_of_its_own(case(_world(world), settings, agent, stack, limits=limits)), settings)


async def case(
    world: World,
    settings: Settings,
    agent: Agent,
    stack: Stack,
    *,
    limits: playing.Limits,
    doors: Callable[[Site], Site] = lambda site: site,
) -> Verdict:
    """`doors`: what stands before the world's own, where somebody else makes moves. Raises HarnessError."""
    scenario = catalogue.select(catalogue.load_all(world.scenarios), names=settings.scenarios)[0]
    tag = planning.tag(secrets.token_hex(8), 0)
    fixed = compiler.compile_case(scenario, seed=settings.seed, tag=tag, rules=settings.rules, world=world)
    async with world.open(stack) as site, agents.working(agent, stack, side_by_side=1) as cast_:
        record = await playing.play(fixed, doors(site), world, limits, on_seeded=cast_.hand_out)
        return score(fixed, record, await playing.witnessed(record, site), world.checks)


def _on_a_loop_of_its_own(work: Coroutine[Any, Any, Verdict]) -> Verdict:
    """A test may be inside a loop already: the case has a thread, and a loop, to itself."""

    def run() -> Verdict:
        with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
            return runner.run(work)

    with ThreadPoolExecutor(1, thread_name_prefix="deskworld-case") as thread:
        return thread.submit(run).result()


def catalogue_of(
    *, world: str = "ap", names: Sequence[str] = (), category: str | None = None, split: str | None = None
) -> tuple[Scenario, ...]:
    """Raises HarnessError where nothing is left."""
    known = catalogue.load_all(_world(world).scenarios)
    found = catalogue.select(known, names=names, category=category, split=split)
    # what befalls the whole stack has no place between tests that share it, unless it is named
    return tuple(one for one in found if names or one.role != "global")


def values_of(kind: str) -> tuple[str, ...]:
    """Every split or category that the worlds' catalogues have."""
    known = (one for world in WORLDS.values() for one in catalogue.load_all(world.scenarios).values())
    return tuple(sorted({str(getattr(one, kind)) for one in known}))


def missed(played: Sequence[Played], *, scripted: bool) -> tuple[str, ...]:
    """The gates of the catalogue that these runs do not pass, each with what was found. No run misses them all."""
    if not played:
        return ("no case was played, and so nothing was shown",)
    world = _world(played[0].settings.world)
    known = catalogue.load_all(world.scenarios)
    found = acceptance.assess(
        played[0].settings,
        [one.verdict for one in played],
        catalogue=known,
        asked=gates.fitting(gates.read(world.scenarios), known, world.outcomes, world.scenarios),
        scripted=scripted,
    )
    shown = [
        f"gate {one.name}: {one.status}: {one.seen}; wanted {one.wanted}"
        for one in found.gates
        if one.status not in {"pass", "not played"}
    ]
    return (*shown, *found.bugs)


def _world(name: str) -> World:
    if name not in WORLDS:
        raise UsageWrong(f"there is no world {name!r}", next_step=f"there are: {', '.join(WORLDS)}")
    return WORLDS[name]
