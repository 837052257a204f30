"""The database went away. What is due stands in rows, so work that met the outage is simply tried again."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from deskworld_kit import clock
from deskworld_kit.outage import is_outage

log = structlog.get_logger(__name__)
T = TypeVar("T")
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 2.0


async def persistently(work: Callable[[], Awaitable[T]], *, doing: str) -> T:
    """Does the work, again after each outage until there is none. Any other error is raised."""
    pause = FIRST_PAUSE
    while True:
        try:
            return await work()
        except Exception as error:
            if not is_outage(error):
                raise
            log.warning("the database is away", doing=doing, error=str(error)[:200])
        await clock.pause(pause)
        pause = min(pause * 2, LONGEST_PAUSE)
