"""An outage of the database is told from a fault of ours by what the driver says."""

import httpx
import pytest
from asyncpg.exceptions import (
    AdminShutdownError,
    CannotConnectNowError,
    ConnectionDoesNotExistError,
    DataError,
    InterfaceError,
    InternalClientError,
    PostgresError,
    QueryCanceledError,
    TooManyConnectionsError,
    UniqueViolationError,
)
from fastapi import FastAPI
from sqlalchemy.exc import DBAPIError, IntegrityError, InvalidRequestError, OperationalError
from sqlalchemy.exc import InterfaceError as WrappedInterfaceError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from deskworld_kit import problems
from deskworld_kit.outage import answer_outages, is_outage

UVLOOP = "unable to perform operation on <TCPTransport closed=True reading=False 0x1>; the handler is closed"


def driver_says(words: str) -> Exception:
    error: Exception = InterfaceError(words)  # type: ignore[no-untyped-call]
    return error


def wrapped(driver: Exception, *, kind: type[DBAPIError] = DBAPIError, invalidated: bool = False) -> DBAPIError:
    """As SQLAlchemy raises it: its own error, the adaptation of the driver's, and the driver's own as its cause."""
    adapted = Exception(str(driver))
    adapted.__cause__ = driver
    return kind("SELECT 1", {}, adapted, connection_invalidated=invalidated)


@pytest.mark.parametrize(
    "error",
    [
        ConnectionRefusedError(),
        PoolTimeoutError("no connection within 20 s"),
        AdminShutdownError("terminating connection due to administrator command"),
        CannotConnectNowError("the database system is starting up"),
        TooManyConnectionsError("sorry, too many clients already"),
        ConnectionDoesNotExistError("connection was closed in the middle of operation"),
        InternalClientError("cannot switch to state 12; another operation (2) is in progress"),
        driver_says("connection is closed"),
        RuntimeError(UVLOOP),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_lost_connection_is_an_outage_as_the_driver_says_it_and_wrapped(error: Exception) -> None:
    assert is_outage(error)
    assert is_outage(wrapped(error))


@pytest.mark.parametrize(
    "error",
    [
        ValueError("a bug"),
        RuntimeError("dictionary changed size during iteration"),
        InvalidRequestError("This session is in 'committed' state"),
        UniqueViolationError("duplicate key value"),
        QueryCanceledError("canceling statement due to user request"),
        DataError("invalid input for query argument $1: 'x' (an integer is required)"),
        driver_says("cannot perform operation: another operation is in progress"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_fault_in_what_was_asked_is_none(error: Exception) -> None:
    assert not is_outage(error)
    assert not is_outage(wrapped(error))


def test_refused_arguments_are_none_however_they_are_wrapped() -> None:
    refused = DataError("invalid input for query argument $1: 'x' (an integer is required)")
    assert not is_outage(wrapped(refused, kind=WrappedInterfaceError))
    assert not is_outage(IntegrityError("", {}, Exception()))


def test_whatever_broke_a_connection_that_was_lost_is_an_outage() -> None:
    assert is_outage(wrapped(PostgresError("?"), invalidated=True))
    assert is_outage(OperationalError("SELECT 1", {}, Exception("the server closed the connection")))


async def test_a_door_answers_503_to_an_outage_and_500_to_a_fault() -> None:
    app = FastAPI()
    problems.install(app)
    answer_outages(app)
    met: list[Exception] = []

    @app.get("/")
    async def asked() -> None:
        raise met[0]

    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://door") as http:
        lost = (ConnectionResetError(), RuntimeError(UVLOOP), wrapped(InternalClientError("not connected")))
        faults = (RuntimeError("a bug"), wrapped(DataError("refused")), ValueError("a bug"))
        for error in lost:
            met[:] = [error]
            answer = await http.get("/")
            assert (answer.status_code, answer.json()["code"]) == (503, "UNAVAILABLE")
            assert answer.headers["retry-after"] == "1"
        for fault in faults:
            met[:] = [fault]
            answer = await http.get("/")
            assert (answer.status_code, answer.json()["code"]) == (500, "INTERNAL")
