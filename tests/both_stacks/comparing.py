"""One case played on two stacks: are verdict and normalised timeline the same, and if not, which rows differ."""

import difflib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from deskworld.bundle import StoredCase
from deskworld.scoring import normalise
from deskworld.values.evidence import Row

SHOWN = 30
"""Lines of one pair's diff; what follows a difference mostly follows from it."""

NUMBERED = re.compile(r"\b(id|message|address)-\d+\b")


@dataclass(frozen=True, slots=True)
class Pair:
    """The same scenario, agent, rules and seed on both stacks. None: the case was not played there."""

    scenario: str
    agent: str
    rules: str
    seed: int
    embedded: StoredCase | None
    compose: StoredCase | None

    @property
    def name(self) -> str:
        return f"{self.scenario} · {self.agent} · rules {self.rules} · seed {self.seed}"


@dataclass(frozen=True, slots=True)
class Compared:
    """What differs in a pair, in lines; the cases themselves are not kept, for there are many."""

    scenario: str
    name: str
    verdicts: tuple[str, ...]
    timelines: tuple[str, ...]


def compared(pair: Pair) -> Compared:
    return Compared(pair.scenario, pair.name, tuple(verdicts_differ(pair)), tuple(timelines_differ(pair)))


def pairs(embedded: Iterable[StoredCase], compose: Iterable[StoredCase], *, agent: str, rules: str) -> list[Pair]:
    """Also of a case that only one side has: it is a difference, and not left out."""
    here, there = _by_seed(embedded), _by_seed(compose)
    return [
        Pair(scenario, agent, rules, seed, here.get((scenario, seed)), there.get((scenario, seed)))
        for scenario, seed in sorted({*here, *there})
    ]


def _by_seed(cases: Iterable[StoredCase]) -> dict[tuple[str, int], StoredCase]:
    return {(one.record.case.scenario, one.record.case.seed): one for one in cases}


def verdicts_differ(pair: Pair) -> list[str]:
    """One line a difference. A run that broke is one, wherever it broke: it proves nothing about the other."""
    if pair.embedded is None or pair.compose is None:
        return [f"not played on {'embedded' if pair.embedded is None else 'compose'}"]
    here, there = _judged(pair.embedded), _judged(pair.compose)
    broke = [
        f"broke on {name}: {case.verdict.broken}"
        for name, case in (("embedded", pair.embedded), ("compose", pair.compose))
        if case.verdict.broken is not None
    ]
    return broke or [
        f"{what}: embedded {here.get(what)}, compose {there.get(what)}"
        for what in {**here, **there}
        if here.get(what) != there.get(what)
    ]


def _judged(case: StoredCase) -> dict[str, Any]:
    """All of a verdict but ids and times, by name."""
    verdict = case.verdict
    return {
        "passed": verdict.passed,
        "settled by": verdict.settled_by,
        "settled because": verdict.settled_because,
        "declines met": verdict.met.declines,
        "delivery": verdict.met.delivery,
        "control": verdict.met.control,
        "touches": verdict.touches,
        "prevented": verdict.prevented,
        **{f"{check.family} {check.name}": "passed" if check.passed else "failed" for check in verdict.checks},
    }


def timelines_differ(pair: Pair) -> list[str]:
    """The rows that differ as a diff, `-` embedded and `+` compose; nothing where they are equal."""
    if pair.embedded is None or pair.compose is None:
        return ["no timeline to compare with"]
    if pair.embedded.evidence is None or pair.compose.evidence is None:
        return [f"no evidence on {'embedded' if pair.embedded.evidence is None else 'compose'}"]
    here, there = _normal(pair.embedded), _normal(pair.compose)
    if not here or not there:
        return ["a timeline without a row"]
    if here == there:
        return []
    lines = _diff(_lines(here, numbered=False), _lines(there, numbered=False))
    lines = lines or _diff(_lines(here, numbered=True), _lines(there, numbered=True))
    left = len(lines) - SHOWN
    return [*lines[:SHOWN], *([f"… {left} lines more"] if left > 0 else [])]


def _normal(case: StoredCase) -> list[Row]:
    assert case.evidence is not None
    return normalise(case.evidence.timelines, case.record.case.tag)


def _diff(here: list[str], there: list[str]) -> list[str]:
    return list(difflib.unified_diff(here, there, "embedded", "compose", n=1, lineterm=""))


def _lines(rows: list[Row], *, numbered: bool) -> list[str]:
    """Without the chain: after a first difference all of its hashes differ. So do the numbers in the names of ids,
    which are shown only where nothing else differs."""
    said = [
        f"{row['seq']:3} after {row['cause'] or '-'} {row['kind']} {_json(row['actor'])} {_json(row['data'])}"
        for row in rows
    ]
    return said if numbered else [NUMBERED.sub(r"\1", line) for line in said]


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
