"""One rate over all scenarios. Runs of one scenario resemble each other, so they prove less than as many situations."""

from collections.abc import Sequence
from math import sqrt

from pydantic import BaseModel, ConfigDict

from deskworld.statistics.intervals import Interval, Z, wilson
from deskworld.statistics.students import two_sided


class Overall(BaseModel):
    """`runs` are attempts, `situations` distinct scenarios. `effective` is how many independent runs they are worth."""

    model_config = ConfigDict(frozen=True)

    passed: int
    runs: int
    situations: int
    error: float
    effective: float
    interval: Interval


def overall(scenarios: Sequence[tuple[int, int]]) -> Overall:
    """`scenarios` are (passed, runs) of each. Raises ValueError without runs.

    The standard error is clustered by scenario (sandwich estimator with the g/(g-1) correction); the interval is
    Wilson's over the effective number of runs that this error amounts to, never more than the runs there were. Where
    every scenario has the same rate the error says nothing, and each scenario counts as one run; so that a campaign
    with a failure never proves more than the same one without it, no bound is better than that sweep's.
    """
    passed, runs = sum(one for one, _ in scenarios), sum(many for _, many in scenarios)
    played = [(one, many) for one, many in scenarios if many]
    if not played:
        raise ValueError("no runs, so no rate")
    rate = passed / runs
    error = clustered_error(played, rate)
    effective = effective_runs(rate * (1 - rate), error, groups=len(played), runs=runs)
    found = wilson(min(rate * effective, effective), effective)
    sweep, nothing = wilson(len(played), len(played)), wilson(0, len(played))
    return Overall(
        passed=passed,
        runs=runs,
        situations=len(played),
        error=error,
        effective=effective,
        interval=Interval(min(found.low, sweep.low), max(found.high, nothing.high)),
    )


def clustered_error(groups: Sequence[tuple[float, int]], rate: float) -> float:
    """The standard error of a mean of `rate` over groups of (sum, runs); 0 where one group alone cannot tell."""
    if len(groups) < 2:
        return 0.0
    residues = (total - rate * many for total, many in groups)
    correction = len(groups) / (len(groups) - 1)
    return sqrt(correction * sum(residue * residue for residue in residues)) / sum(many for _, many in groups)


def effective_runs(variance: float, error: float, *, groups: int, runs: int) -> float:
    """How many independent runs of this variance have this error, which few groups know less well (Student's t)."""
    # what is left of rounding is no error
    if error <= 1e-12:
        return float(groups)
    return max(1.0, min(float(runs), variance / error**2 * (Z / two_sided(groups - 1)) ** 2))
