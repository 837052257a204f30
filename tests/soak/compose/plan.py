"""What the seed decides: who is killed, and when."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

LONGEST_DELAY = 0.5
EARLIEST, LATEST = 0.03, 0.85


@dataclass(frozen=True, slots=True)
class Kill:
    """`after`: the share of the campaign's cases that have ended; then `delay` seconds more."""

    part: str
    after: float
    delay: float


def drawn(parts: Sequence[str], kills: int, random: Random) -> tuple[str, ...]:
    """Every part once before one comes a second time, each round in an order of its own."""
    order: list[str] = []
    while len(order) < kills:
        order += random.sample(list(parts), len(parts))
    return tuple(order[:kills])


def moments(parts: Sequence[str], random: Random) -> tuple[Kill, ...]:
    """One kill each, in this order, spread over the middle of a campaign."""
    shares = sorted(random.uniform(EARLIEST, LATEST) for _ in parts)
    return tuple(
        Kill(part, share, random.uniform(0.0, LONGEST_DELAY)) for part, share in zip(parts, shares, strict=True)
    )
