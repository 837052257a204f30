"""A figure: one number with its unit, and the goal that it is held against."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

SCHEMA = "deskworld/bench/1"


@dataclass(frozen=True, slots=True)
class Result:
    """`value` None: it could not be measured, and `why` says so. `goal` is the most that `value` may be."""

    name: str
    value: float | None
    unit: str
    goal: float | None = None
    why: str | None = None

    @property
    def met(self) -> bool | None:
        """None where there is no goal: such a figure is there to be compared with."""
        if self.value is None:
            return False
        return None if self.goal is None else self.value <= self.goal


def document(results: Sequence[Result]) -> dict[str, Any]:
    return {"schema": SCHEMA, "results": [_entry(result) for result in results]}


def _entry(result: Result) -> dict[str, Any]:
    entry = {**asdict(result), "met": result.met}
    if result.why is None:
        del entry["why"]
    return entry
