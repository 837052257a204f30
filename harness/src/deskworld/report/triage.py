"""Failures by whose fault they are: grouped by class, by what failed and by what the agent did, with the next step."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from deskworld.report.failures import blurred, reasons
from deskworld.values.verdict import CauseClass, Verdict

SHORT = 8
ORDER = ("unclassified", "infrastructure", "our system", "scorer", "model")
"""What asks for somebody comes first."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A run that did not pass. `fingerprint`: of the agent's last turn; None: it had none. `classed` by a person."""

    index: int
    verdict: Verdict
    fingerprint: str | None
    shown: str | None
    classed: CauseClass | None = None

    @property
    def cause(self) -> str:
        if self.verdict.cause in {None, "unclassified"}:
            return self.classed or "unclassified"
        return str(self.verdict.cause)


@dataclass(frozen=True, slots=True)
class Group:
    """Runs that failed alike, over scenarios. `key` names the group on the command line, whatever its class."""

    key: str
    cause: str
    by_person: bool
    what: tuple[str, ...]
    fingerprint: str | None
    shown: str | None
    runs: tuple[Failed, ...]

    @property
    def scenarios(self) -> dict[str, tuple[int, ...]]:
        """The seeds of each."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for one in self.runs:
            found[one.verdict.scenario].append(one.verdict.seed)
        return {name: tuple(seeds) for name, seeds in found.items()}

    def next_step(self, folder: str) -> str:
        first = self.runs[0]
        again = f"harness run --scenarios {first.verdict.scenario} --seed {first.verdict.seed}"
        return {
            "unclassified": f"harness review {folder} --case {first.index}, "
            f"then harness triage {folder} {self.key} --cause model",
            "model": f"harness logs {folder} --case {first.index} shows it; with another prompt or model: {again}",
            "our system": f"a defect of the desk or the ERP: mend it, then {again}",
            "scorer": f"a defect of a check or a script: mend it, then harness rescore {folder}",
            "infrastructure": f"harness doctor, then {again}",
        }[self.cause]


def groups(failed: Iterable[Failed]) -> tuple[Group, ...]:
    by: defaultdict[tuple[str, str], list[Failed]] = defaultdict(list)
    for one in failed:
        by[_key(one), one.cause].append(one)
    found = (
        Group(
            key=key,
            cause=cause,
            by_person=any(one.classed is not None and one.verdict.cause != cause for one in runs),
            what=what(runs[0].verdict),
            fingerprint=runs[0].fingerprint,
            shown=runs[0].shown,
            runs=tuple(runs),
        )
        for (key, cause), runs in by.items()
    )
    return tuple(sorted(found, key=lambda one: (ORDER.index(one.cause), -len(one.runs), one.key)))


def counts(found: Iterable[Group]) -> Mapping[str, int]:
    told = dict.fromkeys(ORDER, 0)
    for one in found:
        told[one.cause] += len(one.runs)
    return {cause: count for cause, count in told.items() if count}


def what(verdict: Verdict) -> tuple[str, ...]:
    """The checks that failed, or what broke, without what is chance."""
    if verdict.broken is not None:
        return (f"broke: {blurred(verdict.broken)}",)
    return tuple(dict.fromkeys(f"{one.family} {one.check}" for one in reasons(verdict))) or ("nothing was found",)


def _key(one: Failed) -> str:
    told = "\n".join((str(one.verdict.cause), one.fingerprint or "", *what(one.verdict)))
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:SHORT]
