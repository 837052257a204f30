"""One rate over all scenarios. Runs of one scenario resemble each other, so they prove less than as many situations."""

from collections.abc import Sequence
from math import sqrt

from pydantic import BaseModel, ConfigDict

from deskworld.statistics.intervals import Interval, wilson


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
    every scenario has the same rate the error says nothing, and each scenario counts as one run.
    """
    passed, runs = sum(one for one, _ in scenarios), sum(many for _, many in scenarios)
    played = [(one, many) for one, many in scenarios if many]
    if not played:
        raise ValueError("no runs, so no rate")
    rate = passed / runs
    error = _clustered_error(played, rate, runs)
    effective = min(runs, rate * (1 - rate) / error**2) if error > 0 else float(len(played))
    return Overall(
        passed=passed,
        runs=runs,
        situations=len(played),
        error=error,
        effective=effective,
        interval=wilson(min(rate * effective, effective), effective),
    )


def _clustered_error(played: Sequence[tuple[int, int]], rate: float, runs: int) -> float:
    groups = len(played)
    if groups < 2:
        return 0.0
    residues = (one - rate * many for one, many in played)
    return sqrt(groups / (groups - 1) * sum(residue * residue for residue in residues)) / runs
