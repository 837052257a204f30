"""Scenario files in, Scenario values out. Says file, line and key of what it cannot use.

Knows the head of a file and the world's schema of `seed`; compiles nothing.
"""

import difflib
from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from deskworld.errors import ScenarioInvalid, UsageWrong
from deskworld.values.scenario import Scenario

Place = tuple[str | int, ...]
SAME = "same"
"""`unless-met` says so where a run is judged alike, met or not."""


def load(path: Path) -> Scenario:
    """One file. Raises ScenarioInvalid with file, line and key."""
    data, lines = _read(path)
    try:
        scenario = Scenario.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        raise _invalid(path, lines, tuple(first["loc"]), first["msg"]) from error
    if scenario.name != path.stem:
        raise _invalid(path, lines, ("name",), f"is {scenario.name!r}, but the file is {path.name}")
    return scenario.read_at({place: f"{path}:{line}" for place, line in lines.items()})


def load_all(folder: Path) -> dict[str, Scenario]:
    """Every scenario of a folder by name, each bound to the one that it is judged as where its twist is not met.

    Two with the same `why` defend the same thing and are refused, and so is a name that no file has.
    """
    if not folder.is_dir():
        raise ScenarioInvalid(f"{folder} is not a folder of scenarios", next_step="give the catalogue's folder")
    found = {scenario.name: scenario for scenario in map(load, _files(folder))}
    whys: dict[str, str] = {}
    for name, scenario in found.items():
        if scenario.why in whys:
            other = whys[scenario.why]
            raise ScenarioInvalid(f"{name} and {other} have the same `why`", next_step="say what each defends")
        whys[scenario.why] = name
    if not found:
        raise ScenarioInvalid(f"{folder} holds no scenario", next_step="add a <name>.yaml")
    return {name: _bound(scenario, found) for name, scenario in found.items()}


def _bound(scenario: Scenario, found: Mapping[str, Scenario]) -> Scenario:
    if scenario.unless_met is None or scenario.unless_met.judge_as == SAME:
        return scenario
    plain = found.get(scenario.unless_met.judge_as)
    if plain is None:
        raise ScenarioInvalid(
            f"{scenario.where('unless-met')}: unless-met: there is no scenario {scenario.unless_met.judge_as!r}",
            next_step=f"name the plain situation, or {SAME!r} where it is judged alike",
        )
    return scenario.judged_as(plain)


def select(
    catalogue: Mapping[str, Scenario],
    *,
    names: Iterable[str] = (),
    category: str | None = None,
    split: str | None = None,
) -> tuple[Scenario, ...]:
    """The named ones, or every one with role `scenario`, narrowed by category and split.

    Raises UsageWrong: an unknown name (with the nearest known one), or nothing left to run.
    """
    chosen = [_named(catalogue, name) for name in names] or [s for s in catalogue.values() if s.role == "scenario"]
    kept = tuple(s for s in chosen if category in (None, s.category) and split in (None, s.split))
    if not kept:
        raise UsageWrong(
            f"no scenario has category {category!r} and split {split!r}", next_step="`harness list` shows what there is"
        )
    return kept


def _named(catalogue: Mapping[str, Scenario], name: str) -> Scenario:
    if name in catalogue:
        return catalogue[name]
    near = difflib.get_close_matches(name, catalogue, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]!r}?" if near else "`harness list` shows what there is"
    raise UsageWrong(f"there is no scenario {name!r}", next_step=hint)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.yaml") if path.stem != "gates")


def _read(path: Path) -> tuple[Any, dict[Place, int]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioInvalid(f"{path}: cannot be read: {error}", next_step="check the file") from error
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        lines: dict[Place, int] = {}
        data = None if node is None else _value(node, (), lines)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise ScenarioInvalid(f"{path}:{line}: {error.problem}", next_step="mend the YAML at that line") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise ScenarioInvalid(f"{path}: not usable as YAML: {error}", next_step="mend the YAML") from error
    if not isinstance(data, dict):
        raise ScenarioInvalid(f"{path}:1: a scenario file is a mapping of keys", next_step="see `harness show`")
    return data, lines


def _value(node: yaml.Node, place: Place, lines: dict[Place, int]) -> Any:
    """Plain data, with decimals exact, and the line of each place."""
    lines[place] = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, place, lines)
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, (*place, number), lines) for number, item in enumerate(node.value)]
    if node.tag == "tag:yaml.org,2002:float":
        return Decimal(node.value.replace("_", ""))
    return yaml.SafeLoader("").construct_object(node)


def _mapping(node: yaml.MappingNode, place: Place, lines: dict[Place, int]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key = str(key_node.value)
        if key in found:
            raise yaml.MarkedYAMLError(problem=f"key {key!r} stands twice", problem_mark=key_node.start_mark)
        found[key] = _value(value_node, (*place, key), lines)
        lines[*place, key] = key_node.start_mark.line + 1
    return found


def _invalid(path: Path, lines: Mapping[Place, int], place: Place, problem: str) -> ScenarioInvalid:
    """The nearest place that stands in the file gives the line: a missing key has none of its own."""
    known = place
    while known and known not in lines:
        known = known[:-1]
    key = ".".join(str(part) for part in place) or "(the file)"
    return ScenarioInvalid(f"{path}:{lines.get(known, 1)}: {key}: {problem}", next_step="mend that key")
