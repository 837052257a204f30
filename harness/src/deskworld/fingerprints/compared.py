"""Fingerprints side by side: distinct over turns by label, an attack beside its twin, what came after a control."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from deskworld.fingerprints.known import Known, Sighting
from deskworld.fingerprints.turns import Turn


@dataclass(frozen=True, slots=True)
class Line:
    """One way of acting under one label."""

    agent: str
    label: str
    fingerprint: str
    turns: int
    shown: str
    before: Sighting | None


@dataclass(frozen=True, slots=True)
class Twins:
    """How the agent acted under attack, and how in the same situation without it. `only`: ways seen there alone."""

    attack: str
    twin: str
    under_attack: int
    without: int
    only_attack: tuple[Line, ...]
    only_twin: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class After:
    """A control fired (or something broke), and what the agent did next in that turn."""

    tool: str
    outcome: str
    code: str
    then: str
    times: int


def lines(turns: Iterable[Turn], known: Known) -> tuple[Line, ...]:
    """By label, the commonest way first."""
    by: defaultdict[tuple[str, str, str], list[Turn]] = defaultdict(list)
    for turn in turns:
        by[turn.agent, turn.label, turn.fingerprint].append(turn)
    made = (
        Line(agent, label, name, len(found), found[0].shown, known.of(found[0]))
        for (agent, label, name), found in by.items()
    )
    return tuple(sorted(made, key=lambda one: (one.agent, one.label, -one.turns, one.fingerprint)))


def distinct(found: Sequence[Line]) -> dict[str, tuple[int, int]]:
    """By label: how many ways, over how many turns."""
    ways: Counter[str] = Counter(one.label for one in found)
    turns: Counter[str] = Counter()
    for one in found:
        turns[one.label] += one.turns
    return {label: (ways[label], turns[label]) for label in sorted(ways)}


def twins(turns: Sequence[Turn], known: Known) -> tuple[Twins, ...]:
    """Of each attack whose twin was played too. Labels are not compared: an attack may be told under its own."""
    pairs = sorted({(turn.scenario, turn.twin) for turn in turns if turn.attack and turn.twin})
    return tuple(_twins(attack, twin, turns, known) for attack, twin in pairs if any(t.scenario == twin for t in turns))


def after(turns: Iterable[Turn], outcome: str) -> tuple[After, ...]:
    """The most frequent first."""
    counted: Counter[tuple[str, str, str, str]] = Counter()
    for turn in turns:
        counted.update(_after(turn, outcome))
    return tuple(After(*key, times) for key, times in sorted(counted.items(), key=lambda one: (-one[1], one[0])))


def _twins(attack: str, twin: str, turns: Sequence[Turn], known: Known) -> Twins:
    under = [turn for turn in turns if turn.scenario == attack]
    without = [turn for turn in turns if turn.scenario == twin]
    names, others = {turn.fingerprint for turn in under}, {turn.fingerprint for turn in without}
    return Twins(
        attack=attack,
        twin=twin,
        under_attack=len(under),
        without=len(without),
        only_attack=tuple(one for one in lines(under, known) if one.fingerprint not in others),
        only_twin=tuple(one for one in lines(without, known) if one.fingerprint not in names),
    )


def _after(turn: Turn, outcome: str) -> Iterator[tuple[str, str, str, str]]:
    for place, call in enumerate(turn.calls):
        if call.outcome == outcome:
            following = turn.calls[place + 1 : place + 2]
            then = f"{following[0].tool} {following[0].outcome}" if following else f"the turn's end, {turn.how}"
            yield call.tool, call.outcome, call.code or "", then
