"""The database is away, or a fault of ours? Decided in one place: by what the driver says, never by where it came up.

A connection that is cut shows in many kinds of error: what the server said last, the driver's own state between two of
its steps, the socket, the event loop. None of them says anything about what was asked; all the same, nothing else may
pass for an outage, since work that met one is tried again until there is none.
"""

from collections.abc import Iterator

from asyncpg.exceptions import (
    InterfaceError,
    InternalClientError,
    OperatorInterventionError,
    PostgresConnectionError,
    QueryCanceledError,
    TooManyConnectionsError,
)
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from deskworld_kit import problems
from deskworld_kit.problems import Problem

_LOST = (
    OSError,
    PoolTimeoutError,
    PostgresConnectionError,
    OperatorInterventionError,
    TooManyConnectionsError,
    # the connection's end was read between two of the driver's steps: "another operation is in progress" and the like
    InternalClientError,
)
# where an error of the database can surface; each is asked for what it is
KINDS = (*_LOST, DBAPIError, InterfaceError, RuntimeError)


def is_outage(error: BaseException) -> bool:
    """Whether the error says something about the database's connection and nothing about what was asked of it."""
    if isinstance(error, DBAPIError) and (error.connection_invalidated or isinstance(error, OperationalError)):
        return True
    return any(_lost(one) for one in _told_by_the_driver(error))


def answer_outages(app: FastAPI) -> None:
    """503 at a door, so that the caller tries again; whatever else goes wrong in the database stays a fault of ours."""

    async def away(request: Request, error: Exception) -> JSONResponse:
        if not is_outage(error):
            raise error
        detail = "The database cannot be had now; try again."
        return problems.render(Problem(503, "UNAVAILABLE", detail, headers={"Retry-After": "1"}), request)

    for kind in KINDS:
        app.add_exception_handler(kind, away)


def _told_by_the_driver(error: BaseException) -> Iterator[BaseException]:
    """The error itself, or what SQLAlchemy and its adaptation of the driver wrapped."""
    if not isinstance(error, DBAPIError):
        yield error
    elif error.orig is not None:
        yield error.orig
        if error.orig.__cause__ is not None:
            yield error.orig.__cause__


def _lost(error: BaseException) -> bool:
    if isinstance(error, InterfaceError):
        # the same class, as a ValueError, refuses arguments, and names a misused connection
        return not isinstance(error, ValueError) and "closed" in str(error)
    if type(error) is RuntimeError:
        # uvloop has no class of its own for writing to a line that has just been closed
        return "handler is closed" in str(error)
    return isinstance(error, _LOST) and not isinstance(error, QueryCanceledError)
