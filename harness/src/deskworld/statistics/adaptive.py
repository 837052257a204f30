"""Where more runs teach most: in the scenarios whose answer varies."""

from collections import Counter
from collections.abc import Mapping, Sequence

from deskworld.statistics.intervals import wilson


def worth_repeating(answers: Mapping[str, Sequence[object]], budget: int) -> tuple[str, ...]:
    """Which scenario to run next, `budget` times, given the answers of each so far; nothing where none varies.

    Each time it is the varying one whose commonest answer has the widest interval, as if its share stayed as it is.
    """
    counts = {name: Counter(given) for name, given in answers.items()}
    share = {name: max(one.values()) / one.total() for name, one in counts.items() if len(one) > 1}
    runs = {name: counts[name].total() for name in share}
    chosen: list[str] = []
    for _ in range(budget if share else 0):
        widest = max(sorted(share), key=lambda name: _width(share[name], runs[name]))
        runs[widest] += 1
        chosen.append(widest)
    return tuple(chosen)


def _width(share: float, runs: int) -> float:
    interval = wilson(share * runs, runs)
    return interval.high - interval.low
