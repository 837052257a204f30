"""`gates.yaml` in, Gates out. Says file, line and key of what it cannot use, refuses a gate that never bites."""

from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from deskworld.errors import UsageWrong
from deskworld.values.gates import Gates
from deskworld.values.scenario import Scenario

NAME = "gates.yaml"
NEXT = "mend that key; docs/schemas/gates-1.json says what there is"


def read(folder: Path) -> Gates:
    """A folder of scenarios without gates has the plainest: everything passes. Raises UsageWrong."""
    path = folder / NAME
    if not path.is_file():
        return Gates()
    try:
        node = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
        data = yaml.SafeLoader("").construct_document(node) if node is not None else None
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValueError) as error:
        raise UsageWrong(f"{path}: cannot be read: {error}", next_step="mend the file") from error
    try:
        return Gates.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"]) or "(the file)"
        raise UsageWrong(f"{path}:{_line(node, first['loc'])}: {key}: {first['msg']}", next_step=NEXT) from error


def fitting(gates: Gates, catalogue: Mapping[str, Scenario], outcomes: Container[str], folder: Path) -> Gates:
    """The same gates. Raises UsageWrong for one that names what the world does not have, and so never bites."""
    for what, name, known in _named(gates, catalogue, outcomes):
        if name not in known:
            raise UsageWrong(f"{folder / NAME}: {what}: there is no {name!r}", next_step="mend the name")
    return gates


def _named(
    gates: Gates, catalogue: Mapping[str, Scenario], outcomes: Container[str]
) -> Iterator[tuple[str, str, Container[str]]]:
    categories = {scenario.category for scenario in catalogue.values()}
    for name, suite in (("scripted", gates.scripted), ("sampled", gates.sampled)):
        yield from ((f"{name}.categories", category, categories) for category in suite.categories)
        yield from ((f"{name}.scenarios", scenario, catalogue) for scenario in suite.scenarios)
    yield from (("smoke", scenario, catalogue) for scenario in gates.smoke)
    yield from (("pays", action, outcomes) for action in gates.pays)
    yield from (("leaves", action, outcomes) for action in gates.leaves)


def _line(node: Any, place: Iterable[str | int]) -> int:
    """The line of the deepest key of the place that stands in the file."""
    line = node.start_mark.line if node is not None else 0
    for part in place:
        if not isinstance(node, yaml.MappingNode):
            break
        found = next(((key, value) for key, value in node.value if key.value == str(part)), None)
        if found is None:
            break
        line, node = found[0].start_mark.line, found[1]
    return int(line) + 1
