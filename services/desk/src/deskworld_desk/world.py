"""What a world brings to the desk, as one frozen value. The core reads this page and knows no world by name."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel

from deskworld_desk.changes import Changes
from deskworld_desk.quarantine.reading import Reading

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Names:
    """What this world calls the thing that opens a case, the record it stands on, and the party outside."""

    subject: str
    record: str
    party: str


# What an event of the system of record means for cases ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cause:
    kind: str
    id: str
    decision_id: str | None


@dataclass(frozen=True, slots=True)
class Opens:
    case_id: str
    record_id: str
    party_id: str
    reason: str
    amount: str
    currency: str
    version: int
    held: bool
    cause: Cause | None
    opening: Json


@dataclass(frozen=True, slots=True)
class Closes:
    case_id: str
    record_id: str
    cause: Cause


@dataclass(frozen=True, slots=True)
class Rechecked:
    """`remembers` is kept on the case for the world (such as: a credit note came)."""

    case_id: str
    record_id: str
    version: int
    held: bool
    cause: Cause
    remembers: Json


@dataclass(frozen=True, slots=True)
class Changed:
    """`final`: nothing about this record is open any more; each case is told so by an event of its own."""

    record_id: str
    version: int
    status: str
    final: bool
    decision_id: str | None


@dataclass(frozen=True, slots=True)
class Heard:
    """An event, understood. `happening` is None when it touches no case."""

    event_id: str
    type: str
    subject: str
    happening: Opens | Closes | Rechecked | Changed | None

    @property
    def case_id(self) -> str | None:
        """The one case that it is about; None for what is about a record."""
        match self.happening:
            case Opens(case_id=case_id) | Closes(case_id=case_id) | Rechecked(case_id=case_id):
                return case_id
        return None

    @property
    def decision_id(self) -> str | None:
        match self.happening:
            case Changed(decision_id=decision_id) | Rechecked(cause=Cause(decision_id=decision_id)):
                return decision_id
            case Opens(cause=Cause(decision_id=decision_id)) | Closes(cause=Cause(decision_id=decision_id)):
                return decision_id
        return None


# The case as the world's code may see it -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CaseNow:
    """A snapshot: what the desk knows of a case at this moment."""

    id: str
    world: str
    record_id: str
    party_id: str
    reason: str
    amount: str
    currency: str
    opening: Json
    version: int
    held: bool
    declined: tuple[Json, ...]
    memory: Json
    facts: Mapping[str, Any]
    instructions_seen: bool
    reader_failed: bool
    letter: Literal["none", "sent", "answered"]


@dataclass(frozen=True, slots=True)
class FactFound:
    fact: str
    value: Any
    source_kind: Literal["erp", "mail", "answer"]
    source_id: str
    how: str


@dataclass(frozen=True, slots=True)
class PolicyAnswer:
    """An answer of the policy service, or the refusal that stands in for it when there is none (`failed`)."""

    package: str
    input: Json
    effect: str
    reasons: tuple[tuple[str, str], ...] = ()
    role: str | None = None
    user: str | None = None
    row: str | None = None
    action: str | None = None
    amount: str | None = None
    reason: str | None = None
    revision: str | None = None
    decision_id: str | None = None
    failed: bool = False
    digests: Json = field(default_factory=dict)
    """What the policy in force is made of, told with a route."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A proposal before anybody was asked. `citations` are whole ids; `unread` are those that nothing read supports."""

    action: str
    amount: str | None
    currency: str
    settles: tuple[str, ...]
    against: str | None
    citations: tuple[str, ...]
    unread: tuple[str, ...]
    rationale: str
    version: int
    routing_input: Json
    changes: Json


@dataclass(frozen=True, slots=True)
class Proposed:
    """A proposal as it stands on record; `changes` is the draft's."""

    action: str
    amount: str | None
    currency: str
    against: str | None
    changes: Json


@dataclass(frozen=True, slots=True)
class InWords:
    """A proposal as its decider reads it: what changes, for whom, and how much. `lines` are labels with their values.
    Parts of it may be a vendor's own words."""

    headline: str
    lines: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LetterDraft:
    recipients: tuple[str, ...]
    subject: str
    body: str
    routing_input: Json


@dataclass(frozen=True, slots=True)
class Resolution:
    """What the rules of a world came to. `reason` is the stop reason when they stopped."""

    outcome: Literal["propose", "ask", "stop"]
    reason: str | None = None
    facts: tuple[FactFound, ...] = ()
    read: tuple[str, ...] = ()
    asked: PolicyAnswer | None = None
    draft: Draft | None = None
    letter: LetterDraft | None = None


# Commands ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Action:
    """`effect`: what the case does once it is carried out. `remembers` is then kept on the case for the world."""

    name: str
    effect: Literal["ends", "holds"]
    remembers: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Order:
    """A decision to be carried out. `key` is the idempotency key."""

    key: str
    case_id: str
    record_id: str
    action: str
    amount: str | None
    settles: tuple[str, ...]
    against: str | None
    version: int
    comment: str


@dataclass(frozen=True, slots=True)
class Carried:
    """`unknown`: the system of record never heard of the key. `unauthorised`: the person's token no longer opens it."""

    outcome: Literal["applied", "refused", "stale", "unknown", "unauthorised"]
    amount: str | None = None
    status: str = ""
    version: int = 0
    code: str = ""
    detail: str = ""


class Unreachable(Exception):
    """The system of record did not answer, or answered nonsense. `retry_after` in seconds, when it said one."""

    def __init__(self, detail: str, retry_after: float | None = None) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


# Tools ---------------------------------------------------------------------------------------------------------------


class Refusal(Exception):
    """The tool will not, by a rule."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(f"{code}: {reason}")
        self.code = code
        self.reason = reason


class Failure(Exception):
    """Something broke on the way."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(f"{code}: {reason}")
        self.code = code
        self.reason = reason


class HandleBook:
    """Case-local short names of records, such as `invoice-1`; new ones are given in order of first appearance."""

    def __init__(self, known: Mapping[str, str]) -> None:
        self._ids = dict(known)
        self._handles = {record_id: handle for handle, record_id in known.items()}
        self.fresh: dict[str, str] = {}

    def name(self, kind: str, record_id: str) -> str:
        if record_id not in self._handles:
            number = 1 + sum(handle.rpartition("-")[0] == kind for handle in self._ids)
            handle = f"{kind}-{number}"
            self._ids[handle] = record_id
            self._handles[record_id] = handle
            self.fresh[handle] = record_id
        return self._handles[record_id]

    def whole(self, text: str) -> str:
        """The id that a handle stands for; any other text as it is."""
        return self._ids.get(text, text)


@dataclass(frozen=True, slots=True)
class ToolContext:
    case: CaseNow
    handles: HandleBook
    grounded: frozenset[str]
    asked_this_turn: bool
    proposer: Literal["rules", "agent", "person"]


@dataclass(frozen=True, slots=True)
class Found:
    """What a read returned. `ids`: the forms of the records whose content this is."""

    result: Json
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Look:
    fetch: Callable[[], Awaitable[Found]]


@dataclass(frozen=True, slots=True)
class Note:
    text: str


@dataclass(frozen=True, slots=True)
class Ask:
    user: str
    text: str


@dataclass(frozen=True, slots=True)
class Write:
    letter: LetterDraft


@dataclass(frozen=True, slots=True)
class Propose:
    draft: Draft


@dataclass(frozen=True, slots=True)
class Keep:
    reason: str


@dataclass(frozen=True, slots=True)
class Wait:
    reason: str


Act = Look | Note | Ask | Write | Propose | Keep | Wait


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a call would do, and what the policy is to be asked first."""

    routing_input: Json
    act: Act


@dataclass(frozen=True, slots=True)
class Tool:
    """`sort`: a move ends the agent's duty for this turn; asking is a move that also bars a proposal in it."""

    name: str
    description: str
    args: type[BaseModel]
    sort: Literal["read", "note", "ask", "move"]
    prepare: Callable[[ToolContext, Any], Awaitable[Prepared]]


@dataclass(frozen=True, slots=True)
class World:
    name: str
    names: Names
    hear: Callable[[Json], Heard]
    resolve: Callable[[CaseNow], Awaitable[Resolution]]
    tool_input: Callable[[ToolContext, str], Json]
    confirm: Callable[[CaseNow, Reading, str], Awaitable[tuple[FactFound, ...]]]
    tools: Mapping[str, Tool]
    propose: Tool  # one of `tools`: what a person proposes with, too
    actions: Mapping[str, Action]
    carry: Callable[[Order, str], Awaitable[Carried]]
    outcome: Callable[[str], Awaitable[Carried]]
    summary: Callable[[str], str]
    in_words: Callable[[Proposed], InWords]
    brief_reference: Callable[[Json], str | None]
    changes: Changes | None = None
