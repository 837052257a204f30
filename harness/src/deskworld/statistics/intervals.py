"""The Wilson score interval, 95 %, two-sided.

E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927) 209-212.
"""

from math import ceil, sqrt
from typing import NamedTuple

Z = 1.959963984540054
"""97.5th percentile of the standard normal distribution."""


class Interval(NamedTuple):
    low: float
    high: float


def wilson(passed: float, runs: float) -> Interval:
    """Counts need not be whole: an effective number of runs is not. Raises ValueError for no runs."""
    if runs <= 0:
        raise ValueError("no runs, so no interval")
    if not 0 <= passed <= runs:
        raise ValueError(f"{passed} of {runs} cannot have passed")
    rate, z2 = passed / runs, Z * Z
    middle = (rate + z2 / (2 * runs)) / (1 + z2 / runs)
    half = Z * sqrt(rate * (1 - rate) / runs + z2 / (4 * runs * runs)) / (1 + z2 / runs)
    # the ends are exact where nothing or everything passed; rounding errors must not say otherwise
    low = 0.0 if passed == 0 else max(0.0, middle - half)
    high = 1.0 if passed == runs else min(1.0, middle + half)
    return Interval(low, high)


def clean_sweep(runs: int) -> float:
    """What runs that all passed prove: the rate is above this."""
    return wilson(runs, runs).low


def runs_for(bound: float) -> int:
    """How many runs must pass without one failure to prove a rate of at least `bound`."""
    if not 0 < bound < 1:
        raise ValueError(f"a sweep proves a rate between 0 and 1, not {bound}")
    # n / (n + z²) ≥ bound; one more where rounding falls short
    runs = max(1, ceil(Z * Z * bound / (1 - bound)))
    return runs if clean_sweep(runs) >= bound else runs + 1
