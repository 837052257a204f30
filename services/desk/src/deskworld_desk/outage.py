"""The database went away. What is due stands in rows, so work that met the outage is simply tried again."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog
from asyncpg.exceptions import InternalClientError, OperatorInterventionError, PostgresConnectionError
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from deskworld_kit import clock

log = structlog.get_logger(__name__)
T = TypeVar("T")
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 2.0
_ALWAYS = (
    OSError,
    # what the driver says when a connection is cut between two of its own steps
    InternalClientError,
    OperationalError,
    InterfaceError,
    PoolTimeoutError,
    PostgresConnectionError,
    OperatorInterventionError,
)


def is_outage(error: BaseException) -> bool:
    """Whether the error says something about the database's connection and nothing about what was asked of it."""
    if isinstance(error, _ALWAYS):
        return True
    return isinstance(error, DBAPIError) and (
        error.connection_invalidated
        or isinstance(getattr(error.orig, "__cause__", None), PostgresConnectionError | OperatorInterventionError)
    )


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
