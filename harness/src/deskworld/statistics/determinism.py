"""Rules decide by a table: where they settled one situation in two ways, something else decided too."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

BY_RULES = frozenset({"rules", "rules+facts"})


class Ended(NamedTuple):
    """How one run ended. `action`: what was proposed last; None: nothing was."""

    scenario: str
    settled_by: str | None
    action: str | None


def differing(runs: Iterable[Ended]) -> Mapping[str, Mapping[str, int]]:
    """The scenarios whose runs, settled by the rules, ended in more than one action, with how many in each."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for run in runs:
        if run.settled_by in BY_RULES:
            found[run.scenario][run.action or "no proposal"] += 1
    return {name: dict(sorted(counts.items())) for name, counts in found.items() if len(counts) > 1}
