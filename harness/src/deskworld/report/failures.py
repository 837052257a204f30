"""Why runs failed: each reason once, with how many runs share it, and the rows of the first."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from deskworld.values.verdict import Verdict

# what differs between two runs that failed alike: ids, figures, who it was
_CHANCE = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|<[^<>]+@[^<>]+>|[a-z]+\.[a-z]+|[\d.,]*\d", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Reason:
    """`rows` are the lines of the timeline that show it."""

    family: str
    check: str
    expected: str
    seen: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """`seeds` are those of all runs that failed alike; the reasons are told with the figures of the first. `places`:
    where the runs stand among all."""

    scenario: str
    places: tuple[int, ...]
    seeds: tuple[int, ...]
    cause: str
    broken: str | None
    settled: str
    reasons: tuple[Reason, ...]

    @property
    def count(self) -> int:
        return len(self.seeds)


def failures(verdicts: Iterable[Verdict]) -> tuple[Failure, ...]:
    """By scenario in the order of the runs; within one, the most frequent first."""
    alike: dict[tuple[object, ...], list[tuple[int, Verdict]]] = {}
    for place, verdict in enumerate(verdicts):
        if not verdict.passed:
            alike.setdefault(_signature(verdict), []).append((place, verdict))
    found = [_failure(together) for together in alike.values()]
    order = {name: place for place, name in enumerate(dict.fromkeys(one.scenario for one in found))}
    return tuple(sorted(found, key=lambda one: (order[one.scenario], -one.count)))


def _signature(verdict: Verdict) -> tuple[object, ...]:
    seen = sorted(
        {
            (check.family, check.name, blurred(finding.expected), blurred(finding.seen))
            for check in verdict.checks
            for finding in check.findings
        }
    )
    return verdict.scenario, verdict.cause, blurred(verdict.broken or ""), tuple(seen)


def blurred(text: str) -> str:
    """Without what differs by chance, so that two runs that failed alike say the same."""
    return _CHANCE.sub("·", text)


def _failure(together: list[tuple[int, Verdict]]) -> Failure:
    first = together[0][1]
    return Failure(
        scenario=first.scenario,
        places=tuple(place for place, _ in together),
        seeds=tuple(verdict.seed for _, verdict in together),
        cause=first.cause or "unclassified",
        broken=first.broken,
        settled=first.settled_because or "it never settled",
        reasons=reasons(first),
    )


def reasons(verdict: Verdict) -> tuple[Reason, ...]:
    """Why one run failed; nothing where it broke before anything was checked."""
    found = tuple(
        Reason(
            family=check.family,
            check=check.name,
            expected=finding.expected,
            seen=finding.seen,
            rows=tuple((name, verdict.told.get(name, "")) for name in finding.rows),
        )
        for check in verdict.checks
        for finding in check.findings
    )
    return found or _without_checks(verdict)


def _without_checks(verdict: Verdict) -> tuple[Reason, ...]:
    """A run can fail because nothing was checked at all."""
    missing = [name for name in ("correct", "evidence", "safe", "routed") if not verdict.family(name)]
    if verdict.broken is not None or not missing:
        return ()
    return tuple(Reason(name, "no-check", "at least one check of the family", "none was made", ()) for name in missing)
