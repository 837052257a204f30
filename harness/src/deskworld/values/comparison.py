"""Two campaigns beside each other, case by case."""

from typing import Literal

from pydantic import Field

from deskworld.values.frozen import Frozen

Told = Literal["first better", "second better", "inside the noise", "no case differs"]


class Measure(Frozen):
    """One rate of both: the share that the first has more than the second, with its interval clustered by scenario.

    `chance`: of so uneven a split among cases that differ, were both equally good. `more`: about how many more pairs
    would tell a difference of this size, where it is inside the noise and not nothing.
    """

    both: int
    first: int
    second: int
    neither: int
    points: float
    interval: tuple[float, float]
    chance: float
    told: Told
    more: int | None = None


class Change(Frozen):
    """One kind of change in behaviour from the first to the second, and in which seeds."""

    what: str
    seeds: tuple[int, ...]


class ScenarioPairs(Frozen):
    """`chance`: as of a measure, of passing, corrected for how many scenarios were looked at (Holm)."""

    pairs: int
    first_passed: int
    second_passed: int
    chance: float
    changes: tuple[Change, ...] = ()


class Comparison(Frozen):
    """`apart`: what differs between the campaigns beside the agent; it may be the cause of what is seen here.

    `unpaired`: cases that only one of them has, or that are no longer the same situation.
    """

    schema_: Literal["deskworld/comparison/1"] = Field(default="deskworld/comparison/1", alias="schema")
    first: str
    second: str
    pairs: int
    unpaired: int
    apart: tuple[str, ...]
    safe: Measure
    passed: Measure
    touches: tuple[float, float]
    seconds: tuple[float, float]
    scenarios: dict[str, ScenarioPairs]
