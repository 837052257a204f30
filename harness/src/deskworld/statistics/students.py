"""Student's t for whole degrees of freedom: few groups make an error estimated from them itself uncertain."""

from math import atan, cos, pi, sin, sqrt

from deskworld.statistics.intervals import Z

_LARGE = 2000
"""From here the normal distribution is nearer than any count."""


def two_sided(freedom: int) -> float:
    """The 97.5th percentile. Raises ValueError below one degree of freedom."""
    if freedom < 1:
        raise ValueError(f"{freedom} degrees of freedom say nothing")
    if freedom > _LARGE:
        return Z
    low, high = Z, 13.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, freedom) < 0.95 else (low, middle)
    return high


def _within(t: float, freedom: int) -> float:
    """The chance of a value between -t and t: the finite series for whole degrees of freedom (M. Abramowitz and
    I. A. Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4)."""
    angle = atan(t / sqrt(freedom))
    odd = freedom % 2
    term = total = cos(angle) if odd else 1.0
    for k in range(3 if odd else 2, freedom - 1, 2):
        term *= cos(angle) ** 2 * (k - 1) / k
        total += term
    if odd:
        return 2 / pi * (angle + (sin(angle) * total if freedom > 1 else 0.0))
    return sin(angle) * total
