"""Pairs by scenario and seed. A scenario whose file changed between the campaigns is another situation: no pair."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from deskworld.comparison.behaviour import Behaviour, behaviour, changes
from deskworld.errors import UsageWrong
from deskworld.statistics import Pairs, difference, holm, uneven
from deskworld.values.comparison import Change, Comparison, Measure, ScenarioPairs, Told
from deskworld.values.evidence import Evidence
from deskworld.values.record import Record
from deskworld.values.verdict import Verdict

Played = tuple[str, int]
BESIDE_THE_AGENT = ("rules", "policies", "tolerances", "gates", "versions")
SETTINGS = ("world", "rules", "parallel", "timeout", "stall", "shared")
Both = tuple[Behaviour, Behaviour]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the campaigns. `manifest` as its bundle has it."""

    name: str
    manifest: Mapping[str, Any]
    runs: Mapping[Played, Behaviour]


def side(name: str, manifest: Mapping[str, Any], cases: Iterable[tuple[Verdict, Record, Evidence | None]]) -> Side:
    """Cases may come one at a time: no evidence is kept."""
    runs = {
        (verdict.scenario, verdict.seed): behaviour(verdict, record, evidence) for verdict, record, evidence in cases
    }
    return Side(name, manifest, runs)


def compared(first: Side, second: Side) -> Comparison:
    """Raises UsageWrong when no case is the same in both."""
    together = [played for played in first.runs if played in second.runs and _same_situation(played[0], first, second)]
    if not together:
        raise UsageWrong(
            f"{first.name} and {second.name} have no case in common",
            next_step="play both on the same scenarios and seeds (`--seed`), or `harness compare --interleave A B`",
        )
    by_scenario: dict[str, dict[int, Both]] = {}
    for scenario, seed in sorted(together):
        pair = first.runs[scenario, seed], second.runs[scenario, seed]
        by_scenario.setdefault(scenario, {})[seed] = pair
    pairs = [pair for seeds in by_scenario.values() for pair in seeds.values()]
    return Comparison(
        schema="deskworld/comparison/1",
        first=first.name,
        second=second.name,
        pairs=len(together),
        unpaired=len({*first.runs, *second.runs}) - len(together),
        apart=tuple(_apart(first.manifest, second.manifest)),
        safe=_measure(by_scenario, lambda one: one.safe),
        passed=_measure(by_scenario, lambda one: one.passed),
        touches=_means(pairs, lambda one: one.touches),
        seconds=_means(pairs, lambda one: one.seconds),
        scenarios=_scenarios(by_scenario),
    )


def _same_situation(scenario: str, first: Side, second: Side) -> bool:
    digests = [(one.manifest.get("scenarios") or {}).get(scenario) for one in (first, second)]
    return digests[0] == digests[1]


def _apart(first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[str]:
    for name in BESIDE_THE_AGENT:
        if first.get(name) != second.get(name):
            yield name
    settings = [one.get("settings") or {} for one in (first, second)]
    yield from (f"settings.{name}" for name in SETTINGS if settings[0].get(name) != settings[1].get(name))
    kinds = [(one.get("stack") or {}).get("kind") for one in (first, second)]
    if kinds[0] != kinds[1]:
        yield "stack.kind"


def _counted(pairs: Iterable[Both], holds: Callable[[Behaviour], bool]) -> Pairs:
    found = [(holds(one), holds(other)) for one, other in pairs]
    return Pairs(*(found.count(kind) for kind in ((True, True), (True, False), (False, True), (False, False))))


def _measure(by_scenario: Mapping[str, Mapping[int, Both]], holds: Callable[[Behaviour], bool]) -> Measure:
    found = difference({name: _counted(seeds.values(), holds) for name, seeds in by_scenario.items()})
    told: Told = "inside the noise"
    if not found.first and not found.second:
        told = "no case differs"
    elif found.told_apart:
        told = "first better" if found.points > 0 else "second better"
    return Measure(
        both=found.both,
        first=found.first,
        second=found.second,
        neither=found.neither,
        points=found.points,
        interval=tuple(found.interval),
        chance=found.chance,
        told=told,
        more=_more(found.points, found.interval.high - found.interval.low, found.pairs)
        if told == "inside the noise"
        else None,
    )


def _more(points: float, width: float, pairs: int) -> int | None:
    """An interval's width falls with the root of the pairs; it leaves out nothing once half of it is the difference."""
    if points == 0:
        return None
    return max(1, ceil(pairs * (width / 2 / abs(points)) ** 2) - pairs)


def _means(pairs: Iterable[Both], of: Callable[[Behaviour], float]) -> tuple[float, float]:
    values = [(of(one), of(other)) for one, other in pairs]
    first, second = (sum(column) / len(values) for column in zip(*values, strict=True))
    return round(first, 4), round(second, 4)


def _scenarios(by_scenario: Mapping[str, Mapping[int, Both]]) -> dict[str, ScenarioPairs]:
    counted = {name: _counted(seeds.values(), lambda one: one.passed) for name, seeds in by_scenario.items()}
    chances = holm([uneven(int(one.first), int(one.second)) for one in counted.values()])
    return {
        name: ScenarioPairs(
            pairs=len(seeds),
            first_passed=int(counted[name].both + counted[name].first),
            second_passed=int(counted[name].both + counted[name].second),
            chance=chance,
            changes=tuple(_changes(seeds)),
        )
        for (name, seeds), chance in zip(by_scenario.items(), chances, strict=True)
    }


def _changes(seeds: Mapping[int, Both]) -> Iterator[Change]:
    """The most frequent first."""
    found: dict[str, list[int]] = {}
    for seed, (one, other) in seeds.items():
        for what in changes(one, other):
            found.setdefault(what, []).append(seed)
    for what, which in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        yield Change(what=what, seeds=tuple(which))
