"""What counts prove, and what they do not: exact counts, intervals, a sweep's bound, times."""

from deskworld.statistics.intervals import Interval, clean_sweep, runs_for, wilson
from deskworld.statistics.overall import Overall, overall
from deskworld.statistics.repeats import pass_hat
from deskworld.statistics.shown import interval_text, share_text
from deskworld.statistics.times import quantile

__all__ = [
    "Interval",
    "Overall",
    "clean_sweep",
    "interval_text",
    "overall",
    "pass_hat",
    "quantile",
    "runs_for",
    "share_text",
    "wilson",
]
