"""The JSON Schema of a world's scenario files, for editors: the head as every world has it, the world's own `seed`, and
in place of any value of the seed what leaves it open. Pure."""

from typing import Any

from deskworld.values.scenario import Scenario
from deskworld.world import World

DIALECT = "https://json-schema.org/draft/2020-12/schema"
DRAW = {
    "type": "object",
    "description": "one of low, low + step, …, high; drawn from the case's seed",
    "properties": {
        "draw": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
        "step": {"type": "number", "exclusiveMinimum": 0},
    },
    "required": ["draw", "step"],
    "additionalProperties": False,
}
ONE_OF = {
    "type": "object",
    "description": "one of these; drawn from the case's seed",
    "properties": {"one-of": {"type": "array", "minItems": 1}},
    "required": ["one-of"],
    "additionalProperties": False,
}
Json = dict[str, Any]


def scenario_schema(world: World) -> Json:
    head = Scenario.model_json_schema(mode="validation")
    seed = world.seed_schema.model_json_schema(mode="validation", ref_template="#/$defs/seed-{model}")
    made = {f"seed-{name}": _open(part) for name, part in seed.pop("$defs", {}).items()}
    head["$defs"] = {**head.get("$defs", {}), **made, "seed": _open(seed), "draw": DRAW, "one-of": ONE_OF}
    head["properties"] |= {
        "seed": {"$ref": "#/$defs/seed"},
        "forbid": {"type": "array", "items": {"enum": sorted(world.forbids)}},
        "must": {"type": "array", "items": {"enum": sorted(world.musts)}},
        "people": {
            "type": "object",
            "propertyNames": {"enum": sorted(world.people)},
            "additionalProperties": {"$ref": "#/$defs/Person"},
        },
    }
    if world.categories is not None:
        head["properties"]["category"] = {"enum": sorted(world.categories)}
    return {"$schema": DIALECT, "title": f"A scenario of the world {world.name}"} | {
        key: value for key, value in head.items() if key != "title"
    }


def _open(schema: Json) -> Json:
    """Every value of an object, and every member of a list, may be left open."""
    found = dict(schema)
    if "properties" in found:
        found["properties"] = {name: _or_open(part) for name, part in found["properties"].items()}
    return found


def _or_open(part: Json) -> Json:
    inner = _open(part)
    if "items" in inner:
        inner["items"] = _or_open(inner["items"])
    given: Json = {key: inner.pop(key) for key in ("description", "title", "default") if key in inner}
    return {"anyOf": [inner, {"$ref": "#/$defs/draw"}, {"$ref": "#/$defs/one-of"}], **given}
