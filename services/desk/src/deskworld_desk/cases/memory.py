"""What a case keeps for its world (such as: a credit note came), by the version of the record that each is true of."""

from collections.abc import Mapping
from typing import Any

from deskworld_desk.cases.tables import Case


def remember(case: Case, told: Mapping[str, Any], version: int) -> None:
    """What is older than what is known changes nothing, so that the order in which things are heard does not count."""
    fresh = {name: value for name, value in told.items() if version >= case.memory_versions.get(name, 0)}
    if fresh:
        case.memory = {**case.memory, **fresh}
        case.memory_versions = {**case.memory_versions, **dict.fromkeys(fresh, version)}
