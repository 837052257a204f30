"""What the routes of both doors share: who calls, which errors they may answer, and how they are described."""

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from deskworld_kit import problems
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem, responses

CallerDependency = Callable[[Request], Awaitable[Principal]]

READ_ERRORS = responses(400, 401, 404, 500, 503)
LIST_ERRORS = responses(400, 401, 500, 503)
GUARDED_ERRORS = responses(400, 401, 403, 500, 503)
COMMAND_ERRORS = responses(400, 401, 403, 404, 409, 422, 500, 503)
NOT_MODIFIED = {304: {"description": "The caller has this version (If-None-Match)"}}


def answer_when_the_database_is_away(app: FastAPI) -> None:
    """503, so that the caller tries again; whatever else goes wrong in the database stays a fault of ours."""

    async def away(request: Request, error: Exception) -> JSONResponse:
        if isinstance(error, DBAPIError) and not _connection_failed(error):
            raise error
        detail = "The database cannot be had now; try again."
        return problems.render(Problem(503, "UNAVAILABLE", detail, headers={"Retry-After": "1"}), request)

    for kind in (OSError, PoolTimeout, DBAPIError):
        app.add_exception_handler(kind, away)


def _connection_failed(error: DBAPIError) -> bool:
    return error.connection_invalidated or isinstance(error, OperationalError | InterfaceError)


def describe_as_answered(app: FastAPI) -> None:
    """Malformed requests are answered 400 here: the framework's own 422 is taken out of the description."""
    drawn = app.openapi

    def openapi() -> dict[str, Any]:
        described = drawn()
        for methods in described["paths"].values():
            for route in methods.values():
                if "HTTPValidationError" in str(route["responses"].get("422")):
                    del route["responses"]["422"]
        for name in ("HTTPValidationError", "ValidationError"):
            described.get("components", {}).get("schemas", {}).pop(name, None)
        return described

    app.openapi = openapi  # type: ignore[method-assign]  # as FastAPI's documentation has it
