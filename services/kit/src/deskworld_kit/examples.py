"""An example for a JSON Schema, from the examples that its fields bring along."""

from collections.abc import Mapping
from typing import Any

BY_FORMAT = {
    "uuid": "0199d2c4-7a10-7c3e-8f00-5b6d1e2f3a4b",
    "date": "2026-03-10",
    "date-time": "2026-03-10T09:00:00+00:00",
}


def example_of(
    schema: Mapping[str, Any], schemas: Mapping[str, Any], name: str = "", *, values: Mapping[str, Any]
) -> Any:
    """`schemas`: the document's components, by name. `name`: the field that holds it. `values`: of texts, by field."""
    if "$ref" in schema:
        return example_of(schemas[schema["$ref"].rpartition("/")[2]], schemas, name, values=values)
    if schema.get("examples"):
        return schema["examples"][0]
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    for choice in ("anyOf", "oneOf", "allOf"):
        if choice in schema:
            first = next((one for one in schema[choice] if one.get("type") != "null"), schema[choice][0])
            return example_of(first, schemas, name, values=values)
    return _of_type(schema, schemas, name, values)


def _of_type(schema: Mapping[str, Any], schemas: Mapping[str, Any], name: str, values: Mapping[str, Any]) -> Any:
    match schema.get("type"):
        case "object":
            fields = schema.get("properties", {})
            return {field: example_of(one, schemas, field, values=values) for field, one in fields.items()}
        case "array":
            items = schema.get("items")
            return [example_of(items, schemas, name.removesuffix("s"), values=values)] if items else []
        case "string":
            return BY_FORMAT.get(schema.get("format", "")) or values.get(name, name or "text")
        case "integer" | "number":
            return schema.get("default") or schema.get("minimum", 1)
        case "boolean":
            return bool(schema.get("default", False))
        case _:
            return None
