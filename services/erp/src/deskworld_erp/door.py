"""What the routes of both doors share: who calls, which errors they may answer, and how they are described."""

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI, Request

from deskworld_kit.identity import Principal
from deskworld_kit.problems import responses

CallerDependency = Callable[[Request], Awaitable[Principal]]

READ_ERRORS = responses(400, 401, 404, 500, 503)
LIST_ERRORS = responses(400, 401, 500, 503)
GUARDED_ERRORS = responses(400, 401, 403, 500, 503)
COMMAND_ERRORS = responses(400, 401, 403, 404, 409, 422, 500, 503)
NOT_MODIFIED = {304: {"description": "The caller has this version (If-None-Match)"}}


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
