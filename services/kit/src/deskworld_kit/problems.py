"""Errors at a door: RFC 9457 problem documents, rendered once."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

MEDIA_TYPE = "application/problem+json"
NAMED = "x-codes"
"""Where a declaration names the codes of its status, until the description makes examples of them."""
Declared = dict[int | str, dict[str, Any]]
"""What a route may answer, by status, as FastAPI takes it."""
log = structlog.get_logger(__name__)

STATUS_CODES = {
    400: "INVALID_REQUEST",
    401: "UNAUTHENTICATED",
    403: "NOT_AUTHORISED",
    404: "NOT_FOUND",
    405: "METHOD_NOT_ALLOWED",
    413: "TOO_LARGE",
    415: "UNSUPPORTED_MEDIA_TYPE",
    429: "RATE_LIMITED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}


class Problem(Exception):
    """A refusal or a failure with a stable code and the values that caused it."""

    def __init__(
        self, status: int, code: str, detail: str, /, *, headers: Mapping[str, str] | None = None, **values: Any
    ) -> None:
        super().__init__(f"{code}: {detail}")
        self.status = status
        self.code = code
        self.detail = detail
        self.headers = dict(headers or {})
        self.values = values

    def document(self, instance: str) -> dict[str, Any]:
        return {
            "type": f"urn:deskworld:problem:{self.code.lower().replace('_', '-')}",
            "title": self.code.replace("_", " ").capitalize(),
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
            "values": self.values,
            "instance": instance,
        }


class ProblemDocument(BaseModel):
    """What every door answers when it does not do what was asked (RFC 9457)."""

    type: str = Field(examples=["urn:deskworld:problem:stale-version"])
    title: str
    status: int
    code: str = Field(examples=["STALE_VERSION"])
    detail: str
    values: dict[str, Any]
    instance: str


def responses(*statuses: int) -> Declared:
    """Declares in OpenAPI that a route may answer these statuses with a problem document."""
    return {
        status: {
            "description": HTTPStatus(status).phrase,
            "content": {MEDIA_TYPE: {"schema": ProblemDocument.model_json_schema()}},
        }
        for status in statuses
    }


def refusal(status: int, *codes: str) -> Declared:
    """Declares as `responses` does, and names the codes that this status has on this route."""
    declared = responses(status)
    declared[status]["content"][MEDIA_TYPE][NAMED] = list(codes)
    return declared


def render(problem: Problem, request: Request) -> JSONResponse:
    return JSONResponse(
        problem.document(request.url.path),
        status_code=problem.status,
        headers=problem.headers,
        media_type=MEDIA_TYPE,
    )


def install(app: FastAPI) -> None:
    """Every error that leaves this app is a problem document."""

    async def known(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, Problem)  # noqa: S101 - the registration below says so
        return render(error, request)

    async def invalid(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)  # noqa: S101 - as above
        return render(_invalid_request(error), request)

    async def http(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)  # noqa: S101 - as above
        code = STATUS_CODES.get(error.status_code, "REFUSED")
        return render(Problem(error.status_code, code, str(error.detail), headers=error.headers), request)

    async def unexpected(request: Request, error: Exception) -> JSONResponse:
        log.error("unexpected error", path=request.url.path, exc_info=error)
        problem = Problem(500, "INTERNAL", "Something broke here, not in your request. It is in this service's log.")
        return render(problem, request)

    app.add_exception_handler(Problem, known)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(Exception, unexpected)


def _invalid_request(error: RequestValidationError) -> Problem:
    found = [
        {
            "field": ".".join(str(part) for part in item["loc"]),
            "problem": item["msg"],
            "value": _short(item.get("input")),
        }
        for item in error.errors()
    ]
    first = found[0]
    return Problem(400, "INVALID_REQUEST", f"{first['field']}: {first['problem']} (was {first['value']})", errors=found)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
