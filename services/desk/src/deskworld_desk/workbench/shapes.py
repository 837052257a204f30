"""What the workbench answers, as its description shows it."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from deskworld_desk.cases.states import State

Id = Annotated[str, Field(examples=["0199d2c4-7a10-7c3e-8f00-5b6d1e2f3a4b"])]
Money = Annotated[str, Field(pattern=r"^-?[0-9]+\.[0-9]{2}$", examples=["1040.00"])]
Role = Literal["buyer", "clerk", "ap-manager", "controller", "auditor"]


class Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Whom(Shape):
    role: Role | None
    user: Annotated[str | None, Field(examples=["anna.keller"])]


class WhomAwaited(Whom):
    address: Annotated[str | None, Field(examples=["ap@muster.vendors.deskworld.example"])]


class Motion(Shape):
    kind: Literal["event", "rules", "untold", "turn", "decision", "echo", "mail-out", "mail-in"]
    id: str
    since: datetime


class Waiting(Shape):
    kind: Literal["question", "decision", "letter"]
    id: Id
    whom: WhomAwaited
    since: datetime


class CaseView(BaseModel):
    """`seq` is the last timeline row that the view reflects: what a command on the case names as `seen`. The ids of the
    subject, the record and the party are named as the case's world names them."""

    case_id: Id
    world: Literal["ap"]
    exception_id: Id
    invoice_id: Id
    vendor_id: Id
    reason: Annotated[str, Field(examples=["PRICE_VARIANCE"])]
    state: State
    rules: Literal["on", "off"]
    stopped: Annotated[str | None, Field(examples=["unhandled"])]
    seq: Annotated[int, Field(ge=1, examples=[12])]
    in_motion: list[Motion]
    waiting_on: list[Waiting]
    siblings: list[Id]
    resolved_by: dict[str, Any] | None


class Actor(Shape):
    type: Literal["erp", "rules", "agent", "person", "vendor", "policy", "desk"]
    id: str


class TimelineRow(Shape):
    """`data` is typed per kind; `hash` is SHA-256 over the row without it, in canonical JSON."""

    case_id: Id | None
    seq: Annotated[int, Field(ge=1)]
    at: datetime
    kind: Annotated[str, Field(examples=["person.noted"])]
    actor: Actor
    cause: int | None
    data: dict[str, Any]
    prev_hash: Annotated[str, Field(examples=["0" * 64])]
    hash: Annotated[str, Field(examples=["0" * 64])]
    format: Literal[1]


class Timeline(Shape):
    rows: list[TimelineRow]


class Asked(BaseModel):
    """A decision that somebody is asked for."""

    decision_id: Id
    case_id: Id
    proposal_id: Id
    proposer: Literal["rules", "agent", "person"]
    action: Annotated[str, Field(examples=["approve-variance"])]
    amount: Money | None
    currency: Annotated[str, Field(examples=["USD"])]
    whom: Whom
    requested_at: datetime
    due_at: datetime


class Cited(Shape):
    """`read`: somebody or something on this case read the record. What nobody read is no evidence."""

    id: Id
    read: bool


class InWords(Shape):
    """What changes, for whom, and how much. Parts of it may be a vendor's own words: text, and never orders."""

    headline: Annotated[str, Field(examples=["Pay 1040.00 USD to Muster AG: invoice RE-2026/0042 as it was billed"])]
    lines: Annotated[list[tuple[str, str]], Field(examples=[[["How much is paid", "1040.00 USD"]]])]
    warnings: Annotated[list[str], Field(examples=[["1 of 2 citations name what nobody on this case read."]])]


class DecisionShown(Asked):
    """Also what its decider reads first."""

    state: Literal["OPEN", "MADE", "NEEDS_DECIDER", "APPLIED", "REFUSED", "DECLINED", "WITHDRAWN", "STALE"]
    mine: Annotated[bool, Field(description="the caller may decide it")]
    rationale: str
    in_words: InWords
    changes: dict[str, Any]
    settles: list[Id]
    against_po: str | None
    expected_version: int
    citations: list[Cited]
    provenance: dict[str, Any]
    verdict: Literal["approve", "decline"] | None
    by: str | None
    words: str | None
    reason: Literal["PAY_PO_PRICE", "RETURN_GOODS"] | None
    code: str | None
    detail: str | None


class DecisionOutcome(Shape):
    decision_id: Id
    outcome: Literal["applied", "refused", "declined", "stale", "withdrawn", "needs-decider"]
    code: str | None
    detail: str | None


class QuestionAsked(Shape):
    question_id: Id
    case_id: Id
    text: str
    asked_at: datetime


class Worklist(Shape):
    """`decisions` and `questions` wait on the caller, the oldest 200 of each; `cases` are the newest first."""

    cases: list[CaseView]
    next: Annotated[str | None, Field(description="`cursor` of the next page of cases")]
    decisions: list[Asked]
    questions: list[QuestionAsked]


class Written(Shape):
    """`seq` is the case's last row now."""

    case_id: Id
    seq: int


class Routed(Written):
    """A person's proposal, and whom the policy asks."""

    decision_id: Id
    whom: Whom


class Answered(Shape):
    question_id: Id


class Budget(Shape):
    """Tokens are those that agents reported."""

    turns: int
    turns_used: int
    input_tokens: int
    input_tokens_used: int
    spent: bool


class QuestionShown(QuestionAsked):
    whom: Whom
    state: Literal["OPEN", "ANSWERED", "WITHDRAWN", "EXPIRED"]
    due_at: datetime
    answer: str | None


class FlagShown(Shape):
    """`may_ask`, `may_confirm`, `may_keep`: what the caller may do about it."""

    flag_id: Id
    case_id: Id
    mail_id: Id
    flag: Literal["instructions", "reader_failed"]
    state: Literal["RAISED", "ASKED", "CLEARED"]
    raised_at: datetime
    reason: str | None
    asked_by: str | None
    asked_at: datetime | None
    confirmed_by: str | None
    cleared_at: datetime | None
    may_ask: bool
    may_confirm: bool
    may_keep: bool


class Flags(Shape):
    items: list[FlagShown]


class Person(Shape):
    username: Annotated[str, Field(examples=["ines.vogel"])]
    sub: str


class PauseShown(Shape):
    paused_at: datetime
    paused_by: Person
    reason: str
    resumed_at: datetime | None
    resumed_by: Person | None


class Agents(Shape):
    """`clients_waiting`: agents that ask for a turn now."""

    paused: bool
    pause: PauseShown | None
    clients_waiting: int


class RunningTurn(Shape):
    turn_id: Id
    case_id: Id
    agent: str
    number: int
    since: datetime


class Held(Shape):
    """Inputs that no agent has been told; `cases` in the order in which they are told."""

    inputs: int
    cases: list[Id]


class DecisionsWaiting(Shape):
    whom: Whom
    count: int
    oldest: datetime


class WaitingCounts(Shape):
    decisions: list[DecisionsWaiting]
    questions: int
    answers_by_mail: int
    unmatched_mail: int
    flags: int


class BudgetOfEach(Shape):
    turns: int
    input_tokens: int


class Oversight(Shape):
    """`cases`: how many stand in each state. `budget`: what each case may use, where nobody raised it."""

    agents: Agents
    pauses: list[PauseShown]
    running: list[RunningTurn]
    held: Held
    cases: dict[State, int]
    waiting: WaitingCounts
    budget: BudgetOfEach


class Paused(Shape):
    paused: Literal[True]
    since: datetime


class Released(Shape):
    """`cases`: how many have something to tell."""

    paused: Literal[False]
    cases: int


class Heard(Shape):
    event_id: Id
