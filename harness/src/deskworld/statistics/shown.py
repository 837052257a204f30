"""Rates as people read them: exact counts always, shares never rounded into what they are not, bounds outward."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from deskworld.statistics.intervals import Interval

TENTH = Decimal("0.1")


def share_text(passed: int, runs: int) -> str:
    """`548/550 (99.6 %)`. Rounded down, so that only all of them are 100 %; `0/0` has no share."""
    if runs == 0:
        return "0/0"
    share = Decimal(passed) * 100 / Decimal(runs)
    return f"{passed}/{runs} ({share.quantize(TENTH, rounding=ROUND_FLOOR)} %)"


def interval_text(interval: Interval) -> str:
    """`[83.8, 100.0] %`: the low end rounded down, the high end up."""
    low = (Decimal(interval.low) * 100).quantize(TENTH, rounding=ROUND_FLOOR)
    high = (Decimal(interval.high) * 100).quantize(TENTH, rounding=ROUND_CEILING)
    return f"[{low}, {high}] %"
