"""How a body that a route reads byte by byte stands in the OpenAPI document."""

from typing import Any

from pydantic import BaseModel

JSON = "application/json"
UBL_EXAMPLE = (
    '<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" '
    'xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">'
    "<cbc:ID>RE-2026/0042</cbc:ID></Invoice>"
)


def body_of(model: type[BaseModel], *, xml: bool = False) -> dict[str, Any]:
    """`openapi_extra` of a route that takes this model as JSON, and UBL as XML where it says so."""
    content: dict[str, Any] = {JSON: {"schema": schema_of(model)}}
    if xml:
        document = {"schema": {"type": "string", "description": "a UBL 2.1 Invoice or CreditNote"}}
        content |= {name: document | {"example": UBL_EXAMPLE} for name in ("application/xml", "text/xml")}
    return {"requestBody": {"required": True, "content": content}}


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The model's schema with what it refers to written out, so that it can stand anywhere in a document."""
    schema = model.model_json_schema()
    known = schema.pop("$defs", {})
    found = _written_out(schema, known)
    assert isinstance(found, dict)  # noqa: S101 - a schema of a model is an object
    return found


def _written_out(part: Any, known: dict[str, Any]) -> Any:
    if isinstance(part, list):
        return [_written_out(one, known) for one in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        return _written_out(known[part["$ref"].rpartition("/")[2]], known)
    return {name: _written_out(one, known) for name, one in part.items()}
