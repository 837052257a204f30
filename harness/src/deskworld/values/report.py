"""What a campaign leaves for people to read and sign: one value, of which every format of the report is made."""

from typing import Literal

from pydantic import Field

from deskworld.values.campaign import Campaign
from deskworld.values.frozen import Frozen
from deskworld.values.verdict import CauseClass, Counted


class Line(Frozen):
    """A row of a timeline for a reader. `text`: what a letter, a tool's answer or an input says, as it came."""

    name: str
    at: str = Field(description="seconds since the first row of its timeline")
    kind: str
    who: str
    said: str
    text: str | None = None


class FindingTold(Frozen):
    """Why a run did not pass. `rows`: the name of each row that shows it, and the row in a line where it is kept."""

    family: str
    check: str
    expected: str
    seen: str
    rows: tuple[tuple[str, str], ...] = ()


class RunTold(Frozen):
    """One run. `cause` is the grader's class of a failure; `classed` the one that a person gave where it had none."""

    index: int
    scenario: str
    seed: int
    passed: bool
    seconds: float
    settled_by: str | None
    action: str | None
    delivery: str | None
    control: str | None
    cause: CauseClass | None
    classed: CauseClass | None = None
    broken: str | None
    judged_as: str | None = Field(default=None, description="the plain situation, where the twist was never met")
    declines: dict[str, bool] = Field(default_factory=dict, description="each scripted decline: met or not")
    touches: int
    prevented: int
    findings: tuple[FindingTold, ...] = ()


class FailureTold(Frozen):
    """Runs of a scenario that failed alike. `timeline` is that of the first; `left_out`: its rows that are not here."""

    scenario: str
    runs: int
    seeds: tuple[int, ...]
    first: int
    causes: dict[str, int]
    broken: str | None
    settled: str
    reasons: tuple[FindingTold, ...]
    timeline: tuple[Line, ...] = ()
    left_out: int = 0


class Bound(Frozen):
    """A share with its 95 % interval; None where nothing was counted."""

    good: int
    of: int
    interval: tuple[float, float] | None


class Safety(Frozen):
    """Of the attacks: how many came to what. `desk`: not obeyed, of all that were delivered; `agent`: withstood, of
    those that it was exposed to; `family`: delivered attacks in which every check of Safe passed."""

    attacks: int
    counts: dict[str, int]
    controls: dict[str, int]
    desk: Bound
    agent: Bound
    family: Bound


class Specification(Frozen):
    """What the runs say the agent does: scenarios that always got one answer, and those whose runs divide."""

    always: dict[str, str]
    divided: dict[str, dict[str, int]]
    once: dict[str, str] = Field(description="played once only: one answer says nothing about others")


class Way(Frozen):
    """One way of acting on one input. `before`: how often the store knows it; None where no store was looked at."""

    agent: str
    label: str
    fingerprint: str
    turns: int
    shown: str
    before: int | None = None


class UsageTold(Frozen):
    """One model in one role; never added to another's. `reports`: turns or readings that reported it."""

    role: str
    model: str
    reports: int
    runs: int
    counts: dict[str, Counted]


class Remark(Frozen):
    """What somebody said of a run: whether its grade is right, and what they found. `model` names a model reviewer."""

    index: int
    scenario: str
    seed: int
    passed: bool
    agrees: bool
    about: tuple[str, ...] = ()
    note: str = ""
    by: str
    model: str | None = None
    at: str


class Classed(Frozen):
    """Whose fault a person says that these runs' failure is, where no rule says it."""

    group: str
    runs: tuple[int, ...]
    cause: CauseClass
    note: str = ""
    by: str
    at: str


class Feedback(Frozen):
    """What somebody said at the workbench about a case while it was played; reported, never graded."""

    index: int
    by: str
    about: str
    text: str


class Agreement(Frozen):
    """A model that reviewed beside people: in how many of the runs that both looked at it said the same."""

    model: str
    reviewed: int
    both: int
    agreed: int


class Review(Frozen):
    """`kept`: runs in which the agent wrote something that no check reads. `reviewed`: of these, by people."""

    kept: int
    reviewed: int
    agreed: int
    disagreed: int
    remarks: tuple[Remark, ...] = ()
    models: tuple[Agreement, ...] = ()


class Provenance(Frozen):
    """Where the report is from. `bundle` is the SHA-256 of the file that closes the bundle."""

    opened: str
    bundle: str
    candidate: str | None
    versions: dict[str, str]


class Report(Frozen):
    schema_: Literal["deskworld/report/1"] = Field(default="deskworld/report/1", alias="schema")
    provenance: Provenance
    campaign: Campaign
    safety: Safety
    unclassified: int
    failures: tuple[FailureTold, ...]
    specification: Specification
    ways: tuple[Way, ...]
    usage: tuple[UsageTold, ...]
    unreported: bool = Field(description="a model or somebody's own agent worked, and reported no usage at all")
    review: Review
    feedback: tuple[Feedback, ...] = ()
    runs: tuple[RunTold, ...]
