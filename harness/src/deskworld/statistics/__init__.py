"""What counts prove, and what they do not: exact counts, intervals, a sweep's bound, differences, times."""

from deskworld.statistics.adaptive import worth_repeating
from deskworld.statistics.determinism import Ended, differing
from deskworld.statistics.intervals import Interval, clean_sweep, runs_at_rate, runs_for, wilson
from deskworld.statistics.overall import Overall, overall
from deskworld.statistics.paired import Difference, Pairs, difference, holm, newcombe, uneven
from deskworld.statistics.repeats import pass_hat
from deskworld.statistics.shown import interval_text, share_text
from deskworld.statistics.times import quantile

__all__ = [
    "Difference",
    "Ended",
    "Interval",
    "Overall",
    "Pairs",
    "clean_sweep",
    "difference",
    "differing",
    "holm",
    "interval_text",
    "newcombe",
    "overall",
    "pass_hat",
    "quantile",
    "runs_at_rate",
    "runs_for",
    "share_text",
    "uneven",
    "wilson",
    "worth_repeating",
]
