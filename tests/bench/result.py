"""A figure: one number with its unit, and the goal that it is held against."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

SCHEMA = "deskworld/bench/1"


@dataclass(frozen=True, slots=True)
class Result:
    """`value` None: it could not be measured, and `why` says so. `goal`: the most that it may be, or the least."""

    name: str
    value: float | None
    unit: str
    goal: float | None = None
    why: str | None = None
    at_least: bool = field(default=False, kw_only=True)

    @property
    def met(self) -> bool | None:
        """None where there is no goal: such a figure is there to be compared with."""
        if self.value is None:
            return False
        if self.goal is None:
            return None
        return self.value >= self.goal if self.at_least else self.value <= self.goal


def document(results: Sequence[Result]) -> dict[str, Any]:
    return {"schema": SCHEMA, "results": [_entry(result) for result in results]}


def _entry(result: Result) -> dict[str, Any]:
    entry = {**asdict(result), "met": result.met}
    if result.why is None:
        del entry["why"]
    if not result.at_least:
        del entry["at_least"]
    return entry
