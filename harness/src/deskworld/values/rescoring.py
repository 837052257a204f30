"""What became of stored runs when they were graded again."""

from typing import Literal

from pydantic import Field

from deskworld.values.frozen import Frozen


class Moved(Frozen):
    """One run that is graded otherwise than it was, and in what."""

    index: int
    scenario: str
    seed: int
    before: bool
    now: bool
    what: tuple[str, ...]


class Rescoring(Frozen):
    """`gradings`: how many runs were graded by which version before; `grading` is the one that is installed."""

    schema_: Literal["deskworld/rescoring/1"] = Field(default="deskworld/rescoring/1", alias="schema")
    bundle: str
    grading: str
    gradings: dict[str, int]
    runs: int
    passed_before: int
    passed_now: int
    moved: tuple[Moved, ...]
