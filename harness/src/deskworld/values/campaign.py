"""A campaign: the runs of one `harness run`, and what they add up to."""

from typing import Literal, Self

from pydantic import Field, model_validator

from deskworld.values.frozen import Frozen
from deskworld.values.gates import GateResult

Acceptance = Literal["REVIEW_REQUIRED", "REJECTED"]


class Settings(Frozen):
    """Everything of a campaign that the command line says."""

    world: str = "ap"
    scenarios: tuple[str, ...] = ()
    category: str | None = None
    split: str | None = None
    agent: str = "playbook"
    playbook: str | None = Field(default=None, description="a file that a model is given in place of the one shipped")
    model_concurrency: int = Field(default=4, ge=1, description="calls of a model side by side")
    rules: Literal["on", "off"] = "on"
    repetitions: int = Field(default=1, ge=1)
    solo_repetitions: int = Field(
        default=0, ge=0, description="runs of each variant that befalls the whole stack; each has the stack to itself"
    )
    adaptive: int = Field(default=0, ge=0, description="further runs, spent on the scenarios whose answer varies")
    parallel: int = Field(default=8, ge=1)
    seed: int = 7
    label: str = "campaign"
    timeout: float = Field(default=300.0, gt=0, description="seconds that one case may take to settle")
    stall: float = Field(default=120.0, gt=0, description="seconds without anything happening")
    shared: bool = False
    smoke: bool = Field(default=False, description="one case each of a few situations; says nothing about rates")
    held_out: str | None = Field(default=None, description="a folder of scenarios that no candidate was made on")
    baselines: bool = Field(default=False, description="also the rules alone and the playbook agent, on the same cases")

    @model_validator(mode="after")
    def _variation_needs_two_runs(self) -> Self:
        if self.adaptive and self.repetitions < 2:
            raise ValueError("--adaptive spends runs where the answer varies: that shows from --repetitions 2 on")
        return self


class Seconds(Frozen):
    p50: float
    p95: float


class ScenarioSummary(Frozen):
    """`checks` counts the runs in which the family passed; `actions` how the runs ended."""

    category: str = ""
    split: str = ""
    role: str = "scenario"
    runs: int
    passed: int
    interval: tuple[float, float]
    checks: dict[str, int]
    settled_by: dict[str, int]
    actions: dict[str, int] = Field(default_factory=dict)
    delivery: dict[str, int]
    touches: float
    seconds: Seconds


class OverallSummary(Frozen):
    """One rate over all situations, clustered by them; of the planned repetitions alone, since runs that went where
    the answer varies would draw it there. `effective`: how many independent runs they are worth."""

    passed: int
    runs: int
    situations: int
    interval: tuple[float, float]
    effective: float


class BaselineSummary(Frozen):
    """`contradicts`: the scenarios whose authored answer this baseline came to another end than, with how often."""

    bundle: str
    agent: str
    rules: str
    runs: int
    passed: int
    interval: tuple[float, float]
    contradicts: dict[str, int]


class Resumed(Frozen):
    """This campaign goes on where another was cut off; its runs that were whole are in this bundle too."""

    bundle: str
    kept: int


class HeldOut(Frozen):
    """Scenarios that no candidate was made on. `spent`: those whose results were seen under another candidate or
    other gates before; they prove no more than scenarios that are known."""

    scenarios: tuple[str, ...]
    spent: tuple[str, ...]
    frozen: str


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
    solo_seconds: float = Field(default=0.0, description="of these, those of runs that had the stack to themselves")
    acceptance: Acceptance
    exit_code: int
    overall: OverallSummary
    gates: tuple[GateResult, ...]
    bugs: tuple[str, ...] = Field(default=(), description="what is wrong with the desk itself, whatever the rates say")
    ungraded: tuple[str, ...]
    not_covered: tuple[str, ...] = ()
    shared: bool = Field(default=False, description="somebody else's cases were open on the stack meanwhile")
    resumed: Resumed | None = None
    held_out: HeldOut | None = None
    baselines: dict[str, BaselineSummary] = Field(default_factory=dict)
    bundle: str
    scenarios: dict[str, ScenarioSummary]
