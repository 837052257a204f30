"""Stored runs graded again: the same cases, records and evidence, by the grading that is installed."""

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from deskworld.bundle import StoredBundle, StoredCase, stored_case
from deskworld.scoring import score
from deskworld.values.rescoring import Moved
from deskworld.values.verdict import Check, Verdict
from deskworld.world import World

CHUNK = 100
SELDOM = 100_000
"""Values that hold no cycles need no search for them after every few hundred."""


@dataclass(slots=True)
class Rescored:
    """`gradings`: how many runs were graded by which version before."""

    runs: int = 0
    passed_before: int = 0
    passed_now: int = 0
    gradings: dict[str, int] = field(default_factory=dict)
    moved: list[Moved] = field(default_factory=list)

    def add(self, graded: "Graded") -> None:
        self.runs += 1
        self.passed_before += graded.before
        self.passed_now += graded.now
        self.gradings[graded.grading] = self.gradings.get(graded.grading, 0) + 1
        if graded.moved is not None:
            self.moved.append(graded.moved)


@dataclass(frozen=True, slots=True)
class Graded:
    before: bool
    now: bool
    grading: str
    moved: Moved | None


def rescored(stored: StoredBundle, world: Callable[[], World], *, processes: int) -> Rescored:
    """`world`: found anew in each process. Raises BundleFailed for a case that is not what its digest says."""
    found = Rescored()
    work = [(str(stored.folder / name), stored.files[name]) for name in stored.case_files]
    for graded in _graded(work, world, processes):
        found.add(graded)
    return found


def moved(case: StoredCase, now: Verdict) -> Moved | None:
    """What is other than it was, in words; None where nothing is."""
    what = tuple(_differences(case.verdict, now))
    if not what:
        return None
    return Moved(
        index=case.index,
        scenario=now.scenario,
        seed=now.seed,
        before=case.verdict.passed,
        now=now.passed,
        what=what,
    )


def _graded(work: list[tuple[str, str]], world: Callable[[], World], processes: int) -> Iterator[Graded]:
    if processes == 1 or len(work) <= CHUNK:
        yield from _all(work, world)
        return
    chunks = [work[place : place + CHUNK] for place in range(0, len(work), CHUNK)]
    # a fresh process: this one has threads, and a copy of it could wait for a lock that nobody holds
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for graded in pool.map(_chunk, chunks, [world] * len(chunks)):
            yield from graded


def _chunk(work: Iterable[tuple[str, str]], world: Callable[[], World]) -> list[Graded]:
    gc.set_threshold(SELDOM)
    return list(_all(work, world))


def _all(work: Iterable[tuple[str, str]], world: Callable[[], World]) -> Iterator[Graded]:
    checks = world().checks
    for path, digest in work:
        case = stored_case(Path(path), digest)
        now = score(case.record.case, case.record, case.evidence, checks)
        yield Graded(case.verdict.passed, now.passed, case.verdict.grading, moved(case, now))


def _differences(before: Verdict, now: Verdict) -> Iterator[str]:
    for name, one, other in (
        ("", "passed" if before.passed else "failed", "passed" if now.passed else "failed"),
        ("cause ", before.cause, now.cause),
        ("broken ", before.broken, now.broken),
        ("settled by ", before.settled_by, now.settled_by),
        ("judged as ", before.judged_as or before.scenario, now.judged_as or now.scenario),
        ("delivery ", before.met.delivery, now.met.delivery),
        ("declines met ", dict(before.met.declines), dict(now.met.declines)),
        ("touches ", before.touches, now.touches),
        ("prevented ", before.prevented, now.prevented),
    ):
        if one != other:
            yield f"{name}{one} → {other}"
    yield from _checks(
        {(check.family, check.name): check for check in before.checks},
        {(check.family, check.name): check for check in now.checks},
    )


def _checks(before: Mapping[tuple[str, str], Check], now: Mapping[tuple[str, str], Check]) -> Iterator[str]:
    for place in sorted({*before, *now}):
        one, other = before.get(place), now.get(place)
        name = " ".join(place)
        if _state(one) != _state(other):
            yield f"{name} {_state(one)} → {_state(other)}"
        elif one is not None and other is not None and one.findings != other.findings:
            yield f"{name} fails otherwise"


def _state(check: Check | None) -> str:
    return "not there" if check is None else "passed" if check.passed else "failed"
