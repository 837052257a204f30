"""Which cases a campaign plays, in which order. Pure but for reading scenario files.

A campaign cut short has seen all scenarios alike: seeds are outermost. What befalls the whole stack is played last,
each run by itself.
"""

import hashlib
from base64 import b32encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deskworld import catalogue, gates
from deskworld.errors import UsageWrong
from deskworld.statistics import worth_repeating
from deskworld.values.campaign import Settings
from deskworld.values.gates import Gates
from deskworld.values.scenario import Scenario
from deskworld.values.verdict import Verdict
from deskworld.world import World

SMOKE = 4
ROUNDS = 4
"""In so many steps adaptive runs are spent: each looks at what the one before showed."""


@dataclass(frozen=True, slots=True)
class Planned:
    scenario: Scenario
    seed: int
    index: int


@dataclass(frozen=True, slots=True)
class Plan:
    """`together` are played side by side, `alone` one after the other."""

    together: tuple[Planned, ...]
    alone: tuple[Planned, ...]

    @property
    def runs(self) -> int:
        return len(self.together) + len(self.alone)


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything that is known before a stack is. `files`: where each scenario stands; `gates_file`: if any."""

    world: World
    known: Mapping[str, Scenario]
    files: Mapping[str, Path]
    chosen: tuple[Scenario, ...]
    gates: Gates
    gates_file: Path | None
    plan: Plan


def prepared(settings: Settings, worlds: Mapping[str, World]) -> Prepared:
    """Raises HarnessError: a world, scenario, category, gate or folder that is not there or cannot be used."""
    if settings.world not in worlds:
        raise UsageWrong(f"there is no world {settings.world!r}", next_step=f"there are: {', '.join(worlds)}")
    world = worlds[settings.world]
    shipped = catalogue.load_all(world.scenarios)
    asked = gates.fitting(gates.read(world.scenarios), shipped, world.outcomes, world.scenarios)
    hidden = held_out(Path(settings.held_out), shipped) if settings.held_out else {}
    known = {**shipped, **hidden}
    chosen = _chosen(settings, known, asked)
    alone = [one.name for one in chosen if one.role == "global"]
    if alone and settings.shared:
        raise UsageWrong(
            f"{', '.join(alone)}: what befalls the whole stack would befall somebody else's cases, too",
            next_step="leave out --shared, or play them on a stack of your own",
        )
    file = world.scenarios / gates.NAME
    return Prepared(
        world=world,
        known=known,
        files={
            name: (Path(settings.held_out) if settings.held_out and name in hidden else world.scenarios)
            / f"{name}.yaml"
            for name in known
        },
        chosen=chosen,
        gates=asked,
        gates_file=file if file.is_file() else None,
        plan=plan(chosen, settings),
    )


def held_out(folder: Path, shipped: Mapping[str, Scenario]) -> dict[str, Scenario]:
    """Scenarios that are given at run time and never shipped. Raises HarnessError."""
    found = catalogue.load_all(folder)
    for name, scenario in found.items():
        if scenario.split != "held-out":
            raise UsageWrong(f"{folder / name}.yaml: split is {scenario.split}", next_step="there it is held-out")
        if name in shipped:
            raise UsageWrong(f"{folder / name}.yaml: the catalogue has a {name}, too", next_step="give it another name")
    return found


def plan(chosen: Sequence[Scenario], settings: Settings) -> Plan:
    together = [one for one in chosen if one.role != "global"]
    alone = [one for one in chosen if one.role == "global"]
    first = _pairs(together, settings.seed, settings.repetitions, start=0)
    times = settings.solo_repetitions or settings.repetitions
    return Plan(first, _pairs(alone, settings.seed, times, start=len(first)))


def further(
    verdicts: Iterable[Verdict], known: Mapping[str, Scenario], settings: Settings, *, spent: int, start: int
) -> tuple[Planned, ...]:
    """The next adaptive runs, with seeds that no run of the scenario had; nothing where no answer varies. `spent`: how
    many there were; `start`: the index of the next."""
    answers: dict[str, list[str]] = {}
    seeds: dict[str, int] = {}
    for verdict in verdicts:
        seeds[verdict.scenario] = max(verdict.seed, seeds.get(verdict.scenario, verdict.seed))
        if known[verdict.scenario].role != "global" and verdict.cause != "infrastructure":
            answers.setdefault(verdict.scenario, []).append(f"{verdict.passed} {verdict.action}")
    left = settings.adaptive - spent
    found: list[Planned] = []
    for name in worth_repeating(answers, min(left, -(-settings.adaptive // ROUNDS))):
        seeds[name] += 1
        found.append(Planned(known[name], seeds[name], start + len(found)))
    return tuple(found)


def tag(nonce: str, index: int) -> str:
    """Ten letters and digits that no other case of any campaign has."""
    return b32encode(hashlib.sha256(f"{nonce}:{index}".encode()).digest()).decode().lower()[:10]


def _pairs(scenarios: Sequence[Scenario], seed: int, repetitions: int, *, start: int) -> tuple[Planned, ...]:
    pairs = [(number, scenario) for number in range(seed, seed + repetitions) for scenario in scenarios]
    return tuple(Planned(scenario, number, start + place) for place, (number, scenario) in enumerate(pairs))


def _chosen(settings: Settings, known: Mapping[str, Scenario], asked: Gates) -> tuple[Scenario, ...]:
    narrowed = settings.scenarios or settings.category or settings.split
    if settings.smoke:
        if narrowed or settings.repetitions > 1 or settings.solo_repetitions:
            raise UsageWrong("--smoke chooses for itself", next_step="leave out what chooses scenarios or repetitions")
        return catalogue.select(known, names=asked.smoke or _one_of_each(known))
    chosen = catalogue.select(known, names=settings.scenarios, category=settings.category, split=settings.split)
    if not settings.solo_repetitions:
        return chosen
    alone = [
        one
        for one in known.values()
        if one.role == "global" and one not in chosen and settings.category in {None, one.category}
        if settings.split in {None, one.split} and not settings.scenarios
    ]
    return (*chosen, *alone)


def _one_of_each(known: Mapping[str, Scenario]) -> tuple[str, ...]:
    """Of each category the first, for so many of them."""
    first: dict[str, str] = {}
    for name, one in known.items():
        if one.role == "scenario":
            first.setdefault(one.category, name)
    return tuple(sorted(first.values()))[:SMOKE]
