"""Backing off before another try at a door."""

import asyncio
from collections.abc import Iterator

FIRST_SECONDS = 0.05
LONGEST_SECONDS = 5.0


def growing() -> Iterator[float]:
    """Seconds to pause after the first, second, … failure."""
    seconds = FIRST_SECONDS
    while True:
        yield seconds
        seconds = min(seconds * 2, LONGEST_SECONDS)


async def pause(seconds: float, *, unless: asyncio.Event | None = None) -> None:
    """Returns early when `unless` is set."""
    try:
        await asyncio.wait_for((unless or asyncio.Event()).wait(), seconds)
    except TimeoutError:
        return
