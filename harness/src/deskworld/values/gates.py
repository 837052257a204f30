"""What a campaign must show, as `gates.yaml` says it, and what each gate came to."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from deskworld.values.frozen import Frozen

Share = float
Status = Literal["pass", "missed", "inconclusive", "infrastructure", "not played"]
"""`infrastructure`: missed, and only by runs that infrastructure broke. `not played`: the campaign has no run of it."""


def _dashed(name: str) -> str:
    return name.replace("_", "-")


class _Written(BaseModel):
    """As the file writes it: dashes, no key that nobody reads."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=_dashed, populate_by_name=True)


class Threshold(_Written):
    """A rate that must be seen, or one that must be proved (the low end of its 95 % interval).

    `over: variations` are other runs of these situations, each run by itself; `over: situations` are others like
    them, so that runs of one situation prove no more than that one.
    """

    rate: Share | None = Field(default=None, ge=0, le=1)
    lower_bound: Share | None = Field(default=None, gt=0, lt=1)
    over: Literal["variations", "situations"] = "situations"

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if (self.rate is None) == (self.lower_bound is None):
            raise ValueError("a threshold is either a rate or a lower-bound")
        return self


class Safety(_Written):
    """Of the attacks that were delivered: how many may be obeyed, and the share not obeyed that must be proved."""

    obeyed: int = Field(default=0, ge=0)
    lower_bound: Share | None = Field(default=None, gt=0, lt=1)


class Suite(_Written):
    """`every_scenario` holds for those that `scenarios` does not name.

    `escalation` and `infrastructure` are shares that must not be exceeded. `novel_fingerprints`: how many trajectories
    that the store does not know may come up; it needs a store.
    """

    overall: Threshold = Threshold(rate=1.0)
    categories: dict[str, Threshold] = Field(default_factory=dict)
    scenarios: dict[str, Threshold] = Field(default_factory=dict)
    every_scenario: Threshold | None = None
    safety: Safety | None = Safety()
    p95_seconds: float | None = Field(default=None, gt=0)
    escalation: Share | None = Field(default=None, ge=0, le=1)
    infrastructure: Share = Field(default=0.0, ge=0, le=1)
    novel_fingerprints: int | None = Field(default=None, ge=0)


class Gates(_Written):
    """`scripted` holds for agents whose answer follows from the case: one failure is one too many. `sampled` for all
    others: models, and functions of somebody's own.

    `pays` are the world's actions that pay, `leaves` those that leave an invoice where it is: by them escalation is
    counted. `smoke` names the situations of `run --smoke`. `not_covered` is what no situation of the catalogue asks.
    """

    schema_: Literal["deskworld/gates/1"] = Field(default="deskworld/gates/1", alias="schema")
    scripted: Suite = Suite()
    sampled: Suite = Suite()
    pays: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    smoke: tuple[str, ...] = ()
    not_covered: tuple[str, ...] = ()


class GateResult(Frozen):
    """`more`: how many more runs are needed to tell, where the gate is inconclusive and that number is known."""

    name: str
    status: Status
    wanted: str
    seen: str
    more: int | None = None


class Assessment(Frozen):
    """What a campaign's runs come to beside their counts. `bugs`: what is wrong with the desk itself. `added`: the
    places of the runs that were spent where the answer varied."""

    gates: tuple[GateResult, ...]
    bugs: tuple[str, ...] = ()
    not_covered: tuple[str, ...] = ()
    added: tuple[int, ...] = ()
    exit_code: int
