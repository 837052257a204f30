"""A door's OpenAPI document, finished: operation ids, credential, every error, headers and examples."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

from deskworld_kit.examples import example_of
from deskworld_kit.problems import MEDIA_TYPE, NAMED, STATUS_CODES, Problem, ProblemDocument

PROBLEM = "Problem"
BROUGHT = "#/$defs/"
ON_BEHALF = "/stage/as/"
FREE = frozenset({"/health"})
"""Asked without a credential."""
WITH_BODY = (413, 415)
DETAILS = {
    "INVALID_REQUEST": "name: Input should be a valid string (was 3)",
    "UNAUTHENTICATED": "send Authorization: Bearer <token>",
    "NOT_AUTHORISED": "anna.keller has none of the roles that may do this.",
    "NOT_FOUND": "There is no such record.",
    "TOO_LARGE": "The body is larger than this door takes.",
    "UNSUPPORTED_MEDIA_TYPE": "Content-Type: this route takes application/json, not text/plain.",
    "RATE_LIMITED": "Too many requests; try again later.",
    "INTERNAL": "Something broke here, not in your request. It is in this service's log.",
    "UNAVAILABLE": "The database cannot be had now; try again.",
}
"""What is said beside a code that every door has."""
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
    refusals: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """The codes of a status, where it has others than STATUS_CODES says and the route names none itself."""
    details: Mapping[str, str] = field(default_factory=dict)
    """What is said beside a code, for the examples."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """Examples of fields, by name."""


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
        operation.setdefault("security", [{"bearer": []}])
        more = described.everywhere
    if "requestBody" in operation:
        more += WITH_BODY
        for content in operation["requestBody"]["content"].values():
            _exemplify(content, schemas, described)
    for status in more:
        answers.setdefault(str(status), {"content": {MEDIA_TYPE: {}}})
    for status, answer in answers.items():
        _answer(int(status), answer, schemas, path, described)
    if "304" in answers:
        operation.setdefault("parameters", []).append(IF_NONE_MATCH)
        answers["200"]["headers"] = ETAG
    operation["responses"] = dict(sorted(answers.items()))


def _exemplify(content: dict[str, Any], schemas: Mapping[str, Any], described: Described) -> None:
    if "schema" in content and "example" not in content and "examples" not in content:
        content["example"] = example_of(content["schema"], schemas, values=described.values)


def _answer(status: int, answer: dict[str, Any], schemas: Mapping[str, Any], path: str, described: Described) -> None:
    content = answer.get("content", {})
    if MEDIA_TYPE in content:
        codes = content[MEDIA_TYPE].get(NAMED) or described.refusals.get(status) or (STATUS_CODES[status],)
        answer["description"] = HTTPStatus(status).phrase
        content[MEDIA_TYPE] = {
            "schema": {"$ref": f"#/components/schemas/{PROBLEM}"},
            "examples": {code: {"value": _problem(status, code, path, described)} for code in codes},
        }
        if status in {429, 503}:
            answer["headers"] = RETRY_AFTER
        return
    for one in content.values():
        _exemplify(one, schemas, described)


def _problem(status: int, code: str, path: str, described: Described) -> dict[str, Any]:
    said = described.details.get(code) or DETAILS.get(code) or code.replace("_", " ").capitalize() + "."
    return Problem(status, code, said).document(path)
