"""Where the bars of a plot stand, in units of its own box. A page draws them, with the figures beside them in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10

from deskworld.statistics import quantile
from deskworld.values.campaign import ScenarioSummary

WIDTH = 100.0
"""Every plot is this many units wide, so that a unit is a percent of the page's width."""
BINS = 20
WIDE_SPAN = 20.0
"""From this ratio of slowest to quickest on, times stand on a logarithmic axis."""


@dataclass(frozen=True, slots=True)
class Span:
    """An interval with its rate, all in percent."""

    low: float
    high: float
    rate: float

    @property
    def width(self) -> float:
        return max(0.6, self.high - self.low)


@dataclass(frozen=True, slots=True)
class Bar:
    left: float
    width: float
    height: float
    count: int


@dataclass(frozen=True, slots=True)
class Times:
    """How long runs took: `bars` of at most 100 high. `axis`: seconds at five even steps of the width."""

    bars: tuple[Bar, ...]
    axis: tuple[float, ...]
    logarithmic: bool
    p50: float
    p95: float
    most: int


def span(one: ScenarioSummary) -> Span:
    low, high = one.interval
    return Span(round(low * WIDTH, 2), round(high * WIDTH, 2), round(one.passed / one.runs * WIDTH, 2))


def share(part: int, whole: int) -> float:
    return round(part / whole * WIDTH, 2) if whole else 0.0


def times(seconds: Sequence[float]) -> Times | None:
    """None where nothing took any time that could be drawn."""
    known = [max(one, 0.001) for one in seconds]
    if not known:
        return None
    low, high = min(known), max(known)
    logarithmic = high / low >= WIDE_SPAN
    start, end = (log10(low), log10(high)) if logarithmic else (0.0, high)
    length = end - start or 1.0
    counts = [0] * BINS
    for one in known:
        place = ((log10(one) if logarithmic else one) - start) / length
        counts[min(BINS - 1, int(place * BINS))] += 1
    steps = [start + length * step / 4 for step in range(5)]
    return Times(
        bars=tuple(
            Bar(
                left=round(place * WIDTH / BINS, 2),
                width=round(WIDTH / BINS * 0.86, 2),
                height=round(count / max(counts) * 100, 2),
                count=count,
            )
            for place, count in enumerate(counts)
            if count
        ),
        axis=tuple(10**step if logarithmic else step for step in steps),
        logarithmic=logarithmic,
        p50=quantile(seconds, 0.5),
        p95=quantile(seconds, 0.95),
        most=max(counts),
    )
