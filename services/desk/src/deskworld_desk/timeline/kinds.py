"""The closed set of timeline kinds, one schema each. Nothing downstream parses prose."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

FORMAT = 1

ActorType = Literal["erp", "rules", "agent", "person", "vendor", "policy", "desk"]
Outcome = Literal["OK", "REFUSED", "FAILED"]
Amount = Annotated[str, Field(pattern=r"^-?\d+\.\d{2}$")]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
TurnHow = Literal[
    "COMPLETED", "KEPT", "WAITING", "EMPTY", "TOOL_LIMIT", "TOKEN_LIMIT", "TIMEOUT", "INVALID", "PROVIDER", "LEASE_LOST"
]


StopReason = Literal[
    "unhandled",
    "conflict",
    "exhausted",
    "refused",
    "declined",
    "rechecked",
    "reply",
    "unread",
    "stale",
    "person",
    "failed",
    "unsent",
    "disabled",
]


class Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Actor(Value):
    type: ActorType
    id: str


class Person(Value):
    username: str
    sub: str


class Reason(Value):
    code: str
    text: str


class Entry(Value):
    """What a row says: its kind and that kind's data."""

    kind: ClassVar[str]


class CaseOpened(Entry):
    kind = "case.opened"
    exception_id: str
    invoice_id: str
    vendor_id: str
    reason: str
    amount: Amount
    currency: str
    rules: Literal["on", "off"]
    world: str


class EventCause(Value):
    kind: str
    id: str
    decision_id: str | None = None


class EventReceived(Entry):
    kind = "event.received"
    event_id: str
    type: str
    subject: str
    event_cause: EventCause | None


class EventIgnored(Entry):
    kind = "event.ignored"
    event_id: str
    type: str
    why: Literal["repeated", "old-version", "closed"]


class RulesRan(Entry):
    kind = "rules.ran"
    outcome: Literal["propose", "ask", "stop"]
    row: str | None
    reason: StopReason | None
    read: tuple[str, ...]
    input_digest: Digest | None
    revision: str | None


class FactSource(Value):
    kind: Literal["erp", "mail", "answer"]
    id: str


class FactEstablished(Entry):
    kind = "fact.established"
    fact: str
    value: Any
    source: FactSource
    how: str


class AgentTold(Entry):
    kind = "agent.told"
    input: str
    label: str
    subject: str
    digest: Digest


class TurnStarted(Entry):
    kind = "turn.started"
    turn_id: str
    number: int
    agent: str
    attempt: int


class ToolCalled(Entry):
    kind = "tool.called"
    turn_id: str
    call_id: str
    tool: str
    arguments: Any
    outcome: Outcome
    code: str | None
    detail: str | None
    ids: tuple[str, ...]
    result_digest: Digest | None


class TurnEnded(Entry):
    kind = "turn.ended"
    turn_id: str
    how: TurnHow
    usage: tuple[dict[str, Any], ...]
    fingerprint: Digest
    labels: tuple[str, ...]


class QuestionAsked(Entry):
    kind = "question.asked"
    question_id: str
    to: str
    text: str
    turn_id: str | None


class QuestionAnswered(Entry):
    kind = "question.answered"
    question_id: str
    by: Person
    text: str


class Recipient(Value):
    address: str
    outcome: Literal["accepted", "refused"]
    detail: str


class MailSent(Entry):
    kind = "mail.sent"
    letter_id: str
    message_id: str
    to_kind: Literal["vendor", "buyer"]
    recipients: tuple[Recipient, ...]
    subject: str
    digest: Digest
    turn_id: str | None


class MailReceived(Entry):
    kind = "mail.received"
    mail_id: str
    message_id: str | None
    digest: Digest
    envelope_from: str | None
    sender: Literal["known", "stranger"]
    joined_by: Literal["reference", "token", "person"]
    letter_id: str | None
    class_: Literal["answer", "auto-reply", "bounce", "calendar"] = Field(alias="class")


class MailMarked(Entry):
    """What makes the words of a mail doubtful, in codes."""

    kind = "mail.marked"
    mail_id: str
    marks: tuple[str, ...]


class Delivery(Value):
    address: str
    action: Literal["failed", "delayed", "delivered", "relayed", "expanded"]
    status: str


class MailBounced(Entry):
    """What a delivery status notification says of a letter's own recipients."""

    kind = "mail.bounced"
    mail_id: str
    letter_id: str
    deliveries: tuple[Delivery, ...]


class MailSetAside(Entry):
    kind = "mail.set-aside"
    mail_id: str
    message_id: str | None
    digest: Digest
    envelope_from: str | None
    why: Literal["unmatched", "unreadable", "too-large"]


class MailDismissed(Entry):
    kind = "mail.dismissed"
    mail_id: str
    by: Person
    reason: str


class ReadingMade(Entry):
    kind = "reading.made"
    mail_id: str
    reader: str
    intent: str
    offers: tuple[str, ...]
    stated_price: str | None
    po_number: str | None
    substitution_reason: str | None
    shipped_item: str | None
    contains_instructions: bool
    failed: bool
    usage: Any


class PolicyAsked(Entry):
    kind = "policy.asked"
    policy: str
    effect: str
    reasons: tuple[Reason, ...]
    role: str | None
    user: str | None
    row: str | None
    input_digest: Digest
    revision: str | None
    policy_decision_id: str | None


class ProposalMade(Entry):
    kind = "proposal.made"
    proposal_id: str
    proposer: Literal["rules", "agent", "person"]
    action: str
    amount: Amount | None
    currency: str
    settles: tuple[str, ...]
    against_po: str | None
    citations: tuple[str, ...]
    rationale: str
    invoice_version: int
    turn_id: str | None


class ProposalWithdrawn(Entry):
    kind = "proposal.withdrawn"
    proposal_id: str
    decision_id: str | None
    why: Literal["superseded", "stale", "settled", "closed", "expired"]


class DeadlinePassed(Entry):
    """Nobody said anything in time. `due_at` is in the case's office time."""

    kind = "deadline.passed"
    what: Literal["decision", "question", "letter"]
    id: str
    due_at: str


class DecisionRequested(Entry):
    kind = "decision.requested"
    decision_id: str
    proposal_id: str
    role: str | None
    user: str | None
    action: str
    amount: Amount | None
    currency: str


class DecisionMade(Entry):
    kind = "decision.made"
    decision_id: str
    verdict: Literal["approve", "decline"]
    by: Person
    words: str | None
    reason: str | None


class DecisionNeedsDecider(Entry):
    kind = "decision.needs-decider"
    decision_id: str
    whom: Person
    why: str


class CommandApplied(Entry):
    kind = "command.applied"
    decision_id: str
    action: str
    amount: Amount | None
    status: str
    version: int
    key: str


class CommandRefused(Entry):
    kind = "command.refused"
    decision_id: str
    action: str
    code: str
    detail: str
    key: str


class CaseMoved(Entry):
    kind = "case.moved"
    from_: str = Field(alias="from")
    to: str
    why: str


class HoldKept(Entry):
    kind = "hold.kept"
    turn_id: str
    reason: str


class PersonNoted(Entry):
    kind = "person.noted"
    by: Person
    text: str


class FlagCleared(Entry):
    kind = "flag.cleared"
    by: Person
    flag: Literal["instructions", "reader_failed"]
    mail_id: str
    reason: str
    confirmed_by: Person


class FeedbackGiven(Entry):
    kind = "feedback.given"
    by: Person
    about: str
    text: str


KINDS: dict[str, type[Entry]] = {entry.kind: entry for entry in Entry.__subclasses__()}
