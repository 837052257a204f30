"""An example for a JSON Schema, from the examples that its fields bring along."""

from collections.abc import Mapping
from typing import Any

BY_FORMAT = {
    "uuid": "0199d2c4-7a10-7c3e-8f00-5b6d1e2f3a4b",
    "date": "2026-03-10",
    "date-time": "2026-03-10T09:00:00+00:00",
}
BY_NAME = {
    "number": "RE-2026/0042",
    "po_reference": "PO-1001",
    "matched_po": "PO-1001",
    "po_number": "PO-1001",
    "against_po": "PO-1001",
    "order": "order",
    "ref": "invoice",
    "item": "BOLT-M8",
    "description": "Bolt M8, zinc",
    "name": "Muster AG",
    "terms": "net 30",
    "phone": "+41 44 000 00 00",
    "mail": "ap@muster.vendors.deskworld.example",
    "account": "CH9300762011623852957",
    "routing": "00762",
    "buyer": "anna.keller",
    "by": "emma.lind",
    "username": "emma.lind",
    "proposed_by": "emma.lind",
    "requested_from": "ap@muster.vendors.deskworld.example",
    "comment": "agreed with the buyer",
    "category": "S",
    "scheme": "0088",
    "url": "https://receiver.example/hooks/erp",
    "summary": "billed 10.40, ordered at 10.00",
}


def example_of(schema: Mapping[str, Any], schemas: Mapping[str, Any], name: str = "") -> Any:
    """`schemas`: the document's components, by name. `name`: the field that holds it."""
    if "$ref" in schema:
        return example_of(schemas[schema["$ref"].rpartition("/")[2]], schemas, name)
    if schema.get("examples"):
        return schema["examples"][0]
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    for choice in ("anyOf", "oneOf", "allOf"):
        if choice in schema:
            first = next((one for one in schema[choice] if one.get("type") != "null"), schema[choice][0])
            return example_of(first, schemas, name)
    return _of_type(schema, schemas, name)


def _of_type(schema: Mapping[str, Any], schemas: Mapping[str, Any], name: str) -> Any:
    match schema.get("type"):
        case "object":
            fields = schema.get("properties", {})
            return {field: example_of(one, schemas, field) for field, one in fields.items()}
        case "array":
            return [example_of(schema["items"], schemas, name.removesuffix("s"))] if schema.get("items") else []
        case "string":
            return BY_FORMAT.get(schema.get("format", "")) or BY_NAME.get(name, name or "text")
        case "integer" | "number":
            return schema.get("default") or schema.get("minimum", 1)
        case "boolean":
            return bool(schema.get("default", False))
        case _:
            return None
