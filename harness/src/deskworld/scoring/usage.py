"""What models were used for, as it was reported: by role and model, never added across either.

A count that was not reported stays absent and is counted as missing; it is never a nought.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from deskworld.values.evidence import Evidence
from deskworld.values.timeline import of_kind
from deskworld.values.verdict import Counted, Usage

COUNTS = ("input", "output", "cache_read", "cache_write", "reasoning")
UNNAMED = "(not named)"


def usage(evidence: Evidence) -> tuple[Usage, ...]:
    """Case agent first, then the reader; each by model."""
    reports: defaultdict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for role, report in _reports(evidence):
        reports[role, str(report.get("model") or UNNAMED)].append(report)
    return tuple(_summed(role, model, found) for (role, model), found in sorted(reports.items()))


def _reports(evidence: Evidence) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for timeline in evidence.timelines:
        for row in of_kind(timeline.rows, "turn.ended"):
            yield from (("case agent", one) for one in row["data"]["usage"])
        for row in of_kind(timeline.rows, "reading.made"):
            said = row["data"]["usage"]
            found = said if isinstance(said, list) else [said]
            yield from (("reader", one) for one in found if isinstance(one, Mapping))


def _summed(role: str, model: str, found: list[Mapping[str, Any]]) -> Usage:
    counts = {}
    for name in COUNTS:
        told = [one[name] for one in found if isinstance(one.get(name), int)]
        counts[name] = Counted(total=sum(told) if told else None, missing=len(found) - len(told))
    return Usage(role=role, model=model, reports=len(found), counts=counts)
