"""OPA's REST API as far as a reader of decisions needs it: data, policies, health.

https://www.openpolicyagent.org/docs/rest-api
"""

import uuid
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from deskworld_embedded.policy.evaluation import (
    UNDEFINED,
    EvaluationFailed,
    InputMalformed,
    NumberNotKept,
    evaluate,
    parse,
)
from deskworld_embedded.policy.holder import Holder, NothingLoaded

NO_INPUT = {
    "code": "api_usage_warning",
    "message": "'input' key missing from the request",
}


def policy_app(folder: Path) -> Starlette:
    holder = Holder(folder)

    async def data(request: Request) -> Response:
        try:
            document, warning = await _input(request)
        except (InputMalformed, NumberNotKept) as error:
            return _error(400, "invalid_parameter", f"body contains malformed input document: {error}")
        path = [part for part in request.path_params.get("path", "").split("/") if part]
        try:
            value = evaluate(holder.current(), path, document)
        except NothingLoaded as error:
            return _error(500, "internal_error", str(error))
        except EvaluationFailed as error:
            return _error(500, "internal_error", "error(s) occurred while evaluating query", [_detail(error)])
        answer: dict[str, Any] = {"decision_id": str(uuid.uuid4())}
        if value is not UNDEFINED:
            answer["result"] = value
        if warning:
            answer["warning"] = NO_INPUT
        return JSONResponse(answer)

    async def health(_: Request) -> Response:
        trouble = holder.trouble()
        return JSONResponse({"error": trouble} if trouble else {}, status_code=500 if trouble else 200)

    async def policies(request: Request) -> Response:
        try:
            sources = holder.current().sources
        except NothingLoaded as error:
            return _error(500, "internal_error", str(error))
        wanted = request.path_params.get("id")
        if wanted is None:
            return JSONResponse({"result": [{"id": name, "raw": text} for name, text in sources.items()]})
        if wanted not in sources:
            return _error(404, "resource_not_found", f"storage_not_found_error: policy id {wanted!r}")
        return JSONResponse({"result": {"id": wanted, "raw": sources[wanted]}})

    return Starlette(
        routes=[
            Route("/health", health),
            Route("/v1/data", data, methods=["GET", "POST"]),
            Route("/v1/data/{path:path}", data, methods=["GET", "POST"]),
            Route("/v1/policies", policies),
            Route("/v1/policies/{id:path}", policies),
        ],
        exception_handlers={404: _not_found, 405: _not_found},
    )


async def _input(request: Request) -> tuple[Any, bool]:
    """The input document, and whether the caller seems to have forgotten it."""
    if request.method in ("GET", "HEAD"):
        text = request.query_params.get("input")
        return (UNDEFINED, False) if text is None else (parse(text), False)
    body = await request.body()
    if not body.strip():
        return UNDEFINED, False
    document = parse(body)
    if not isinstance(document, dict):
        raise InputMalformed("the body is not an object")
    return (document["input"], False) if "input" in document else (UNDEFINED, True)


def _detail(error: EvaluationFailed) -> dict[str, Any]:
    place = {"file": error.place.file, "row": error.place.row, "col": error.place.col}
    return {"code": error.code, "message": str(error), "location": place}


def _error(status: int, code: str, message: str, errors: list[dict[str, Any]] | None = None) -> Response:
    body: dict[str, Any] = {"code": code, "message": message}
    if errors:
        body["errors"] = errors
    return JSONResponse(body, status_code=status)


async def _not_found(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    if status == 405:
        return _error(405, "method_not_allowed", f"{request.method} is not served here")
    return _error(404, "resource_not_found", f"nothing is served at {request.url.path}")
