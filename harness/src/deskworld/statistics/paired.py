"""Two agents on the same cases: how far apart they are, and whether that is more than noise."""

from collections.abc import Mapping, Sequence
from math import comb, inf, nextafter, sqrt
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from deskworld.statistics.intervals import Interval, wilson
from deskworld.statistics.overall import clustered_error, effective_runs

NOISE = 0.05


class Pairs(NamedTuple):
    """How many cases both passed, only the first, only the second, and neither."""

    both: float
    first: float
    second: float
    neither: float

    @property
    def number(self) -> float:
        return sum(self)


class Difference(BaseModel):
    """The first's rate less the second's. `interval` is clustered by scenario; `chance` is that of so uneven a split
    of the pairs that differ between agents that are equally good."""

    model_config = ConfigDict(frozen=True)

    pairs: int
    situations: int
    both: int
    first: int
    second: int
    neither: int
    points: float
    error: float
    interval: Interval
    chance: float

    @property
    def told_apart(self) -> bool:
        """Both the interval and the split must say so: inside the noise nobody is ranked."""
        return (self.interval.low > 0 or self.interval.high < 0) and self.chance <= NOISE


def difference(scenarios: Mapping[str, Pairs]) -> Difference:
    """`scenarios`: the pairs of each. Raises ValueError without any.

    The standard error of the mean difference is clustered by scenario; the interval is Newcombe's over the number of
    independent pairs that this error amounts to.
    """
    played = [one for one in scenarios.values() if one.number]
    whole = Pairs(*(sum(column) for column in zip(*played, strict=True))) if played else Pairs(0, 0, 0, 0)
    if not whole.number:
        raise ValueError("no pairs, so no difference")
    number = int(whole.number)
    points = (whole.first - whole.second) / number
    error = clustered_error([(one.first - one.second, int(one.number)) for one in played], points)
    variance = (whole.first + whole.second) / number - points**2
    worth = effective_runs(variance, error, groups=len(played), runs=number) / number
    return Difference(
        pairs=number,
        situations=len(played),
        both=int(whole.both),
        first=int(whole.first),
        second=int(whole.second),
        neither=int(whole.neither),
        points=points,
        error=error,
        interval=newcombe(Pairs(*(count * worth for count in whole))),
        chance=uneven(int(whole.first), int(whole.second)),
    )


def newcombe(pairs: Pairs) -> Interval:
    """95 %, of the difference of two paired proportions; never beyond -1 and 1. Raises ValueError without pairs.

    R. G. Newcombe, "Improved confidence intervals for the difference between binomial proportions based on paired
    data", Statistics in Medicine 17 (1998) 2635-2650, method 10.
    """
    number = pairs.number
    one, two = pairs.both + pairs.first, pairs.both + pairs.second
    first, second = wilson(min(one, number), number), wilson(min(two, number), number)
    rate, other = one / number, two / number
    alike = _correlation(pairs)
    below = _distance(rate - first.low, second.high - other, alike)
    above = _distance(first.high - rate, other - second.low, alike)
    points = (pairs.first - pairs.second) / number
    return Interval(max(-1.0, nextafter(points - below, -inf)), min(1.0, nextafter(points + above, inf)))


def uneven(first: int, second: int) -> float:
    """The exact two-sided McNemar test (a sign test of the pairs that differ); 1 where none does."""
    number, fewer = first + second, min(first, second)
    tail = sum(comb(number, count) for count in range(fewer + 1))
    return min(1.0, 2 * tail / (1 << number))


def holm(chances: Sequence[float]) -> tuple[float, ...]:
    """Each chance corrected for how many were looked at. S. Holm, Scandinavian Journal of Statistics 6 (1979) 65-70."""
    found = [0.0] * len(chances)
    worst = 0.0
    for place, index in enumerate(sorted(range(len(chances)), key=lambda one: chances[one])):
        worst = max(worst, min(1.0, (len(chances) - place) * chances[index]))
        found[index] = worst
    return tuple(found)


def _distance(one: float, other: float, alike: float) -> float:
    return sqrt(max(0.0, one * one - 2 * alike * one * other + other * other))


def _correlation(pairs: Pairs) -> float:
    """φ with Newcombe's correction for continuity: 0 where a margin is empty, and never helped by few pairs."""
    both, first, second, neither = pairs
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    if margins <= 0:
        return 0.0
    product = both * neither - first * second
    half = pairs.number / 2
    corrected = product - half if product > half else min(product, 0.0)
    return corrected / sqrt(margins)
