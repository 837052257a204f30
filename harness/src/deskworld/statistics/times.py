"""Percentiles of wall times by nearest rank: always a time that was measured, never one between two."""

from collections.abc import Sequence
from math import ceil


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of all values do not exceed (inverse of the empirical distribution,
    type 1 of R. J. Hyndman and Y. Fan, "Sample quantiles in statistical packages", 1996).

    Raises ValueError without values.
    """
    if not values:
        raise ValueError("no values, so no percentile")
    if not 0 < share <= 1:
        raise ValueError(f"a percentile is a share between 0 and 1, not {share}")
    return sorted(values)[ceil(share * len(values)) - 1]
