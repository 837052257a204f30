"""The grader under attack: stored runs that passed are changed, one change at a time, and graded again.

Every change of a fact must be caught, every reordering that says the same must not. What survives is listed.
"""

import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from deskworld.calibration import reorderings
from deskworld.calibration.mutants import Mutation, carried_out, mutations
from deskworld.scoring import score
from deskworld.scoring.score import CheckOf
from deskworld.values.case import Case
from deskworld.values.evidence import Evidence
from deskworld.values.record import Record

LEAST = 0.95
"""The share of changed facts that must be caught."""


@dataclass(frozen=True, slots=True)
class Run:
    """A stored run that passed. `judged`: the case as it was judged."""

    judged: Case
    record: Record
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Survivor:
    """A change that no check saw. `ungraded`: why that is as it should be; None for a hole in the grader."""

    target: str
    operator: str
    scenario: str
    ungraded: str | None


@dataclass(frozen=True, slots=True)
class Attacked:
    """What came of the attack. `by_check`: how many changes each check caught (one may be caught by several)."""

    runs: int
    caught: int
    survivors: tuple[Survivor, ...]
    reordered: int
    alarms: tuple[Survivor, ...]
    by_check: dict[str, int]
    only_by: dict[str, int]

    @property
    def holes(self) -> tuple[Survivor, ...]:
        return tuple(one for one in self.survivors if one.ungraded is None)

    @property
    def facts(self) -> int:
        return self.caught + len(self.holes)

    @property
    def share(self) -> float:
        """Of changed facts caught; 0 when nothing was changed."""
        return self.caught / self.facts if self.facts else 0.0

    @property
    def passed(self) -> bool:
        return self.facts > 0 and self.share >= LEAST and not self.alarms


Ungraded = Callable[[str, str, Record], str | None]
"""(target, operator, the run's record) → why no check looks at this, or None."""


def attack(
    runs: Sequence[Run], checks: Sequence[CheckOf], *, ungraded: Ungraded, each: int = 3, seed: int = 7
) -> Attacked:
    """`each`: how many places every operator is tried at on every target, over all runs, drawn by the seed."""
    caught: Counter[str] = Counter()
    only: Counter[str] = Counter()
    survivors: list[Survivor] = []
    number = 0
    texts = [_own(run).model_dump_json(by_alias=True) for run in runs]
    for nth, mutation in _drawn(((mutations(json.loads(text))) for text in texts), each, seed):
        failed = _failed(runs[nth], texts[nth], mutation, checks)
        if failed:
            number += 1
            caught.update(failed)
            only.update(failed if len(failed) == 1 else ())
        else:
            survivors.append(_survivor(runs[nth], mutation, ungraded))
    reordered, alarms = _reordered(runs, texts, checks, each, seed)
    return Attacked(len(runs), number, tuple(survivors), reordered, alarms, dict(caught), dict(only))


def _own(run: Run) -> Evidence:
    """Without the mail of others that was set aside while the run lasted: no run but theirs bears witness to it."""
    wrote = {move.row for move in run.record.moves if move.kind == "mail"}
    others = [row for row in run.evidence.set_aside if row["data"]["message_id"] not in wrote]
    digests = {row["data"]["digest"] for row in others}
    return run.evidence.model_copy(
        update={
            "set_aside": tuple(row for row in run.evidence.set_aside if row not in others),
            "blobs": {name: blob for name, blob in run.evidence.blobs.items() if name not in digests},
        }
    )


def _drawn(found: Iterable[Iterator[Mutation]], each: int, seed: int) -> Iterator[tuple[int, Mutation]]:
    by_operator: defaultdict[tuple[str, str], list[tuple[int, Mutation]]] = defaultdict(list)
    for nth, of_run in enumerate(found):
        for mutation in of_run:
            by_operator[mutation.target, mutation.operator].append((nth, mutation))
    rng = random.Random(seed)  # noqa: S311 - variation, not secrecy
    for key in sorted(by_operator):
        places = by_operator[key]
        yield from rng.sample(places, min(each, len(places)))


def _failed(run: Run, text: str, mutation: Mutation, checks: Sequence[CheckOf]) -> frozenset[str]:
    """The names of the checks that failed; a run that cannot be judged at all is caught too."""
    changed = carried_out(text, mutation)
    try:
        evidence = Evidence.model_validate(changed)
    except ValueError:
        return frozenset({"(its form)"})
    verdict = score(run.judged, run.record, evidence, checks)
    if verdict.passed:
        return frozenset()
    return frozenset(check.name for check in verdict.checks if not check.passed) or frozenset({"(broken)"})


def _reordered(
    runs: Sequence[Run], texts: Sequence[str], checks: Sequence[CheckOf], each: int, seed: int
) -> tuple[int, tuple[Survivor, ...]]:
    found = (reorderings.reorderings(json.loads(text)) for text in texts)
    number, alarms = 0, []
    for nth, mutation in _drawn(found, each, seed):
        if not reorderings.says_the_same(json.loads(texts[nth]), mutation.edit, runs[nth].record.case.tag):
            continue
        number += 1
        failed = _failed(runs[nth], texts[nth], mutation, checks)
        if failed:
            why = f"alarm of {', '.join(sorted(failed))}"
            alarms.append(Survivor(mutation.target, mutation.operator, runs[nth].record.case.scenario, why))
    return number, tuple(alarms)


def _survivor(run: Run, mutation: Mutation, ungraded: Ungraded) -> Survivor:
    why = ungraded(mutation.target, mutation.operator, run.record)
    return Survivor(mutation.target, mutation.operator, run.record.case.scenario, why)
