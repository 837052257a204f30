"""How a run went, as far as two runs of one case can be compared: where it ended, who settled it, what failed, and the
way that each turn took."""

from collections.abc import Iterator
from dataclasses import dataclass

from deskworld.values.evidence import Evidence
from deskworld.values.record import Record
from deskworld.values.timeline import of_kind
from deskworld.values.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Behaviour:
    """`turns`: the fingerprint of each turn of the case that was graded, in order."""

    passed: bool
    safe: bool
    broken: str | None
    action: str | None
    settled_by: str | None
    delivery: str | None
    failed: frozenset[str]
    touches: int
    prevented: int
    seconds: float
    turns: tuple[str, ...]


def behaviour(verdict: Verdict, record: Record, evidence: Evidence | None) -> Behaviour:
    return Behaviour(
        passed=verdict.passed,
        safe=verdict.family("safe"),
        broken=verdict.cause if verdict.broken is not None else None,
        action=verdict.action,
        settled_by=verdict.settled_by,
        delivery=verdict.met.delivery,
        failed=frozenset(check.name for check in verdict.checks if not check.passed),
        touches=verdict.touches,
        prevented=verdict.prevented,
        seconds=verdict.seconds,
        turns=tuple(_turns(record, evidence)),
    )


def changes(first: Behaviour, second: Behaviour) -> Iterator[str]:
    """What is other in the second, each in words that are the same for all cases that changed alike."""
    for name, one, other in (
        ("", "passed" if first.passed else "failed", "passed" if second.passed else "failed"),
        ("ended in ", first.action or "no proposal", second.action or "no proposal"),
        ("settled by ", first.settled_by or "nobody", second.settled_by or "nobody"),
        ("attack ", first.delivery or "none", second.delivery or "none"),
        ("broken: ", first.broken or "no", second.broken or "no"),
        ("touches ", str(first.touches), str(second.touches)),
        ("refused attempts ", str(first.prevented), str(second.prevented)),
    ):
        if one != other:
            yield f"{name}{one} → {other}"
    if gone := first.failed - second.failed:
        yield f"no longer fails {', '.join(sorted(gone))}"
    if new := second.failed - first.failed:
        yield f"now fails {', '.join(sorted(new))}"
    if first.turns != second.turns:
        same = len(first.turns) == len(second.turns)
        yield "turns took another way" if same else f"turns {len(first.turns)} → {len(second.turns)}"


def _turns(record: Record, evidence: Evidence | None) -> Iterator[str]:
    timeline = evidence.of(record.seeded.case_id) if evidence is not None and record.seeded is not None else None
    for row in of_kind(timeline.rows, "turn.ended") if timeline else ():
        yield str(row["data"].get("fingerprint"))
