"""A door's OpenAPI document, finished: operation ids, credential, every error, headers and examples."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

from deskworld_erp.examples import example_of
from deskworld_kit.problems import MEDIA_TYPE, STATUS_CODES, Problem, ProblemDocument

PROBLEM = "Problem"
BROUGHT = "#/$defs/"
ON_BEHALF = "/stage/as/"
FREE = frozenset({"/health"})
"""Asked without a credential."""
WITH_BODY = (413, 415)
REFUSALS: Mapping[int, tuple[str, ...]] = {
    409: ("STALE_VERSION", "ALREADY_EXISTS"),
    422: (
        "INVALID_TRANSITION",
        "BANK_CHANGE_UNVERIFIED",
        "DUPLICATE_OPEN",
        "EXCEPTION_OPEN",
        "INVALID_AMOUNT",
        "ALREADY_HELD",
        "IDEMPOTENCY_KEY_REUSED",
        "VERIFICATION_REFUSED",
    ),
    429: ("RATE_LIMITED",),
    500: ("INTERNAL",),
}
DETAILS = {
    "INVALID_REQUEST": "amount: at most 2 decimal places (was '10.005')",
    "UNAUTHENTICATED": "send Authorization: Bearer <token>",
    "NOT_AUTHORISED": "grace.hall may not approve more than 10000.00 USD.",
    "NOT_FOUND": "There is no such invoice.",
    "STALE_VERSION": "The invoice is at version 3.",
    "ALREADY_EXISTS": "The order's number is in use.",
    "TOO_LARGE": "The body is larger than this door takes.",
    "UNSUPPORTED_MEDIA_TYPE": "Content-Type: this route takes application/json, not text/plain.",
    "INVALID_TRANSITION": "approve-variance is not possible from APPROVED.",
    "BANK_CHANGE_UNVERIFIED": "The vendor has a bank change that nobody verified yet.",
    "DUPLICATE_OPEN": "An open DUPLICATE bars what pays.",
    "EXCEPTION_OPEN": "settles must name every open exception.",
    "INVALID_AMOUNT": "The amount is above what may be paid.",
    "ALREADY_HELD": "The exception is held already.",
    "IDEMPOTENCY_KEY_REUSED": "Another request was sent under this key.",
    "VERIFICATION_REFUSED": "The phone is not the contact's number on record.",
    "RATE_LIMITED": "Too many requests; try again later.",
    "INTERNAL": "Something broke here, not in your request. It is in this service's log.",
    "UNAVAILABLE": "The database cannot be had now; try again.",
}
RETRY_AFTER = {"Retry-After": {"description": "seconds", "schema": {"type": "string", "pattern": "^[0-9]+$"}}}
ENDLESS = "text/event-stream"
ETAG = {"ETag": {"description": "validator of this answer", "schema": {"type": "string"}}}
IF_NONE_MATCH = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "description": "ETags that the caller has; 304 when one of them is this answer's",
    "schema": {"type": "string"},
}


@dataclass(frozen=True, slots=True)
class Described:
    title: str
    about: str
    credential: str
    everywhere: tuple[int, ...] = ()
    """Errors that any route may answer, beside those that it names itself."""


def operation_id(route: APIRoute) -> str:
    return route.name


def describe(app: FastAPI, described: Described) -> None:
    drawn = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _finished(drawn(), described)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # as FastAPI's documentation has it


def _finished(document: dict[str, Any], described: Described) -> dict[str, Any]:
    document["info"]["description"] = described.about
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    schemas[PROBLEM] = ProblemDocument.model_json_schema()
    components["securitySchemes"] = {
        "bearer": {"type": "http", "scheme": "bearer", "description": described.credential}
    }
    document["paths"] = _hoist(document["paths"], schemas)
    for path, method, operation in _operations(document):
        if path.startswith(ON_BEHALF):
            operation["operationId"] = f"as_person_{operation['operationId']}"
        if method == "get" and path not in FREE and ENDLESS not in operation["responses"]["200"].get("content", {}):
            operation["responses"]["304"] = {"description": "The caller has this answer", "headers": ETAG}
        _finish(operation, path, described, schemas)
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    return document


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def _hoist(part: Any, schemas: dict[str, Any]) -> Any:
    """Definitions that a schema brought along belong to the document: only there its references find them."""
    if isinstance(part, list):
        return [_hoist(one, schemas) for one in part]
    if not isinstance(part, dict):
        return part
    for name, schema in part.get("$defs", {}).items():
        schemas.setdefault(name, _hoist(schema, schemas))
    kept = {key: _hoist(value, schemas) for key, value in part.items() if key != "$defs"}
    reference = kept.get("$ref")
    if isinstance(reference, str) and reference.startswith(BROUGHT):
        kept["$ref"] = f"#/components/schemas/{reference.removeprefix(BROUGHT)}"
    return kept


def _finish(operation: dict[str, Any], path: str, described: Described, schemas: Mapping[str, Any]) -> None:
    answers = operation["responses"]
    # malformed requests are answered 400 here: the framework's own 422 is taken out
    if "HTTPValidationError" in str(answers.get("422")):
        del answers["422"]
    more: tuple[int, ...] = ()
    if path not in FREE:
        operation["security"] = [{"bearer": []}]
        more = described.everywhere
    if "requestBody" in operation:
        more += WITH_BODY
        _body(operation["requestBody"], schemas)
    for status in more:
        answers.setdefault(str(status), {"content": {MEDIA_TYPE: {}}})
    for status, answer in answers.items():
        _answer(int(status), answer, schemas, path)
    if "304" in answers:
        operation.setdefault("parameters", []).append(IF_NONE_MATCH)
        answers["200"]["headers"] = ETAG
    operation["responses"] = dict(sorted(answers.items()))


def _body(body: dict[str, Any], schemas: Mapping[str, Any]) -> None:
    for content in body["content"].values():
        if "example" not in content and "examples" not in content:
            content["example"] = example_of(content.get("schema", {}), schemas)


def _answer(status: int, answer: dict[str, Any], schemas: Mapping[str, Any], path: str) -> None:
    content = answer.get("content", {})
    if MEDIA_TYPE in content:
        answer["description"] = HTTPStatus(status).phrase
        content[MEDIA_TYPE] = {
            "schema": {"$ref": f"#/components/schemas/{PROBLEM}"},
            "examples": {code: {"value": _problem(status, code, path)} for code in _codes(status)},
        }
        if status in {429, 503}:
            answer["headers"] = RETRY_AFTER
        return
    for one in content.values():
        if "schema" in one and "example" not in one and "examples" not in one:
            one["example"] = example_of(one["schema"], schemas)


def _codes(status: int) -> tuple[str, ...]:
    return REFUSALS.get(status) or (STATUS_CODES[status],)


def _problem(status: int, code: str, path: str) -> dict[str, Any]:
    return Problem(status, code, DETAILS[code]).document(path)
