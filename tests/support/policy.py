"""The bundle of policies/ in the embedded engine, loaded as OPA loads a directory."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import regorus

POLICIES = Path(__file__).parents[2] / "policies"


def documents(folder: Path = POLICIES) -> dict[str, Any]:
    """Each data.json stands at the path of its folder."""
    tree: dict[str, Any] = {}
    for file in sorted(folder.rglob("data.json")):
        node = tree
        for part in file.parent.relative_to(folder).parts:
            node = node.setdefault(part, {})
        node.update(json.loads(file.read_text()))
    return tree


Engine = Any
"""regorus.Engine: the wheel brings no types."""


def engine(*, with_tests: bool = False, data: dict[str, Any] | None = None) -> Engine:
    built = regorus.Engine()  # type: ignore[attr-defined]
    for file in sorted(POLICIES.rglob("*.rego")):
        if with_tests or not file.name.endswith("_test.rego"):
            built.add_policy_from_file(str(file))
    built.add_data(documents() if data is None else data)
    return built


@cache
def _shared() -> Engine:
    return engine()


def decide(entrypoint: str, value: Any, *, using: Engine | None = None) -> dict[str, Any]:
    chosen = using or _shared()
    chosen.set_input(value)
    result = chosen.eval_rule(entrypoint)
    assert isinstance(result, dict), f"{entrypoint} gave {result!r} for {value!r}"
    return result


def routing(value: Any, *, using: Engine | None = None) -> dict[str, Any]:
    return decide("data.ap.routing.decision", value, using=using)


def resolution(value: Any, *, using: Engine | None = None) -> dict[str, Any]:
    return decide("data.ap.resolution.decision", value, using=using)
