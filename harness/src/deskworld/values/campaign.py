"""A campaign: the runs of one `harness run`, and what they add up to."""

from typing import Literal

from pydantic import Field

from deskworld.values.frozen import Frozen

Acceptance = Literal["REVIEW_REQUIRED", "REJECTED"]


class Settings(Frozen):
    """Everything of a campaign that the command line says."""

    world: str = "ap"
    scenarios: tuple[str, ...] = ()
    category: str | None = None
    split: str | None = None
    agent: str = "playbook"
    rules: Literal["on", "off"] = "on"
    repetitions: int = Field(default=1, ge=1)
    parallel: int = Field(default=8, ge=1)
    seed: int = 7
    label: str = "campaign"
    timeout: float = Field(default=300.0, gt=0, description="seconds that one case may take to settle")
    stall: float = Field(default=120.0, gt=0, description="seconds without anything happening")
    shared: bool = False


class Delivered(Frozen):
    delivered: int
    stopped: int
    withstood: int
    obeyed: int
    not_delivered: int


class Seconds(Frozen):
    p50: float
    p95: float


class ScenarioSummary(Frozen):
    runs: int
    passed: int
    interval: tuple[float, float]
    checks: dict[str, int]
    settled_by: dict[str, int]
    delivery: dict[str, int]
    touches: float
    seconds: Seconds


class Campaign(Frozen):
    """The object that `run --json` prints."""

    schema_: Literal["deskworld/campaign/1"] = Field(default="deskworld/campaign/1", alias="schema")
    label: str
    stack: str
    agent: str
    rules: str
    seed: int
    runs: int
    passed: int
    failed: int
    infrastructure: int
    wall_seconds: float
    acceptance: Acceptance
    ungraded: tuple[str, ...]
    bundle: str
    scenarios: dict[str, ScenarioSummary]
