"""Token buckets: each caller has a burst, which fills up again at a steady rate."""

from collections.abc import Callable
from dataclasses import dataclass

from deskworld_kit import clock

MOST_CALLERS = 10_000


@dataclass(slots=True)
class _Bucket:
    left: float
    at: float


class Rates:
    def __init__(self, *, per_second: float, burst: int, now: Callable[[], float] = clock.monotonic) -> None:
        self.per_second = per_second
        self.burst = burst
        self._now = now
        self._buckets: dict[str, _Bucket] = {}

    def take(self, caller: str) -> float:
        """Takes one request of the caller's. Zero when there was one, else the seconds until there is."""
        now = self._now()
        bucket = self._buckets.get(caller)
        if bucket is None:
            if len(self._buckets) >= MOST_CALLERS:
                self._forget_the_idle(now)
            bucket = self._buckets[caller] = _Bucket(float(self.burst), now)
        bucket.left = min(float(self.burst), bucket.left + (now - bucket.at) * self.per_second)
        bucket.at = now
        if bucket.left >= 1.0:
            bucket.left -= 1.0
            return 0.0
        return (1.0 - bucket.left) / self.per_second

    def _forget_the_idle(self, now: float) -> None:
        """A full bucket is the same as none."""
        self._buckets = {
            caller: one
            for caller, one in self._buckets.items()
            if one.left + (now - one.at) * self.per_second < self.burst
        }
