"""The Wilson score interval, 95 %, two-sided, its ends rounded outward.

E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927) 209-212.
"""

from decimal import Context, Decimal, localcontext
from math import ceil, inf, nextafter
from typing import NamedTuple

Z = 1.959963984540054
"""97.5th percentile of the standard normal distribution."""
_PRECISE = Context(prec=60)


class Interval(NamedTuple):
    low: float
    high: float


def wilson(passed: float, runs: float) -> Interval:
    """Counts need not be whole: an effective number of runs is not. Raises ValueError for no runs.

    The ends are the next float outside the exact ones, so that no rounding makes a rate look better known than it is.
    """
    if runs <= 0:
        raise ValueError("no runs, so no interval")
    if not 0 <= passed <= runs:
        raise ValueError(f"{passed} of {runs} cannot have passed")
    with localcontext(_PRECISE):
        n, z2 = Decimal(runs), Decimal(Z) ** 2
        rate = Decimal(passed) / n
        middle = (rate + z2 / (2 * n)) / (1 + z2 / n)
        half = (z2 * (rate * (1 - rate) / n + z2 / (4 * n * n))).sqrt() / (1 + z2 / n)
        # the ends are exact where nothing or everything passed
        low = 0.0 if passed == 0 else nextafter(float(middle - half), -inf)
        high = 1.0 if passed == runs else nextafter(float(middle + half), inf)
    return Interval(max(0.0, low), min(1.0, high))


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


def runs_at_rate(passed: float, runs: float, bound: float) -> int | None:
    """How many runs in all, at the rate seen so far, prove at least `bound`; None where no number of them would.

    The score test turned round: n (p - b)² ≥ z² b (1 - b).
    """
    if not 0 < bound < 1:
        raise ValueError(f"runs prove a rate between 0 and 1, not {bound}")
    rate = passed / runs
    if rate <= bound:
        return None
    needed = ceil(Z * Z * bound * (1 - bound) / (rate - bound) ** 2)
    while wilson(rate * needed, needed).low < bound:
        needed += 1
    return needed
