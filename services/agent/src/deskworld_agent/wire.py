"""What the agent door says, as docs/doors.md writes it. Fields that are not known here are let through unread."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Json = dict[str, Any]


class Said(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Exceptional(Said):
    """The exception that the case is about."""

    id: str
    handle: str | None = None
    reason: str
    amount: str | None = None
    currency: str | None = None
    summary: str | None = None


class Sibling(Said):
    id: str
    reason: str
    held: bool = False


class Named(Said):
    id: str
    handle: str | None = None


class InvoiceBrief(Named):
    status: str | None = None
    version: int | None = None


class Declined(Said):
    action: str
    words: str | None = None
    reason: str | None = None


class Brief(Said):
    exception: Exceptional
    siblings: tuple[Sibling, ...] = ()
    invoice: InvoiceBrief
    vendor: Named
    po_reference: str | None = None
    held: bool = False
    open_question: Any = None
    open_letter: Any = None
    declined: tuple[Declined, ...] = ()


class Input(BaseModel):
    """One thing that the agent is told. The fields beside `type` and `label` depend on the type."""

    model_config = ConfigDict(frozen=True, extra="allow")

    type: Literal["rules-stopped", "rechecked", "reply", "answered", "decision", "note"]
    label: str

    @property
    def said(self) -> Json:
        return dict(self.model_extra or {})


class Tool(Said):
    name: str
    description: str = ""
    parameters: Json = Field(default_factory=dict)


class Turn(Said):
    """`lease` in seconds: a heartbeat is due before it ends."""

    turn_id: str
    case_id: str
    number: int
    token: str = Field(repr=False)
    lease: float = Field(default=30.0, gt=0)
    inputs: tuple[Input, ...]
    brief: Brief
    tools: tuple[Tool, ...] = ()


class CallResult(Said):
    """`ids` are the forms of the records whose content the call returned: what may be cited."""

    call_id: str
    outcome: Literal["OK", "REFUSED", "FAILED"]
    result: Any = None
    ids: tuple[str, ...] = ()
    code: str | None = None
    reason: str | None = None

    @property
    def ok(self) -> bool:
        return self.outcome == "OK"
