"""When a fault strikes. Pure: the same seed and the same calls in the same order meet the same faults."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256


class Kind(StrEnum):
    LATENCY = "latency"
    STATUS = "status"
    COMMIT_THEN_TIMEOUT = "commit-then-timeout"
    STALE_READ = "stale-read"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class Fault:
    """`method`, `route` None: all of them. `calls`: only the first so many of each record.

    It meets the calls for the records of `vendor_id`; with `everybody`, all calls.
    """

    id: str
    vendor_id: str | None
    kind: Kind
    rate: float
    seed: str
    everybody: bool = False
    method: str | None = None
    route: str | None = None
    calls: int | None = None
    milliseconds: int | None = None
    status: int | None = None
    retry_after: int | None = None

    def concerns(self, method: str, route: str) -> bool:
        return self.method in {None, method} and self.route in {None, route}

    def strikes(self, method: str, route: str, nth: int) -> bool:
        """`nth`: how often this route was called with this method for this record, from 1."""
        if self.calls is not None and nth > self.calls:
            return False
        return draw(self.seed, method, route, nth) < self.rate


def draw(seed: str, method: str, route: str, nth: int) -> float:
    """From 0 up to 1. The record is in `nth` alone: its id differs from run to run."""
    named = "\n".join((seed, method, route, str(nth)))
    return int.from_bytes(sha256(named.encode()).digest()[:8]) / 2**64


@dataclass(frozen=True, slots=True)
class Struck:
    """What meets one call: it waits first, then at most one thing happens to it."""

    milliseconds: int = 0
    by: Fault | None = None


def struck(faults: Iterable[Fault], method: str, route: str, nth: int) -> Struck:
    """Delays add up; of the others the first that strikes is taken."""
    waits, by = 0, None
    for fault in faults:
        if not fault.strikes(method, route, nth):
            continue
        if fault.kind is Kind.LATENCY:
            waits += fault.milliseconds or 0
        elif by is None:
            by = fault
    return Struck(waits, by)
