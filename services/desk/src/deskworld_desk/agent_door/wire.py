"""What is said at the agent door, on HTTP and on MCP alike. What agents write is checked here, before it is kept."""

import json
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from deskworld_desk.text import plain

LONGEST_WAIT = 30.0
MOST_ARGUMENTS = 64 * 1024
"""Bytes of a call's arguments; the longest that a tool takes are a few thousand."""
MOST_USAGES = 100
MOST_TOKENS = 1_000_000_000
STORABLE = {"pattern": r"^[^\u0000]*$"}

Name = Annotated[str, Field(min_length=1, max_length=200, json_schema_extra=STORABLE), plain]


def _whole(value: object) -> object:
    """JSON has one kind of number: 3.0 is 3 (RFC 8259; JSON Schema's `integer`)."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Count = Annotated[int, Field(ge=0, le=MOST_TOKENS, strict=True), BeforeValidator(_whole)]


def _storable(args: dict[str, Any]) -> dict[str, Any]:
    try:
        size = len(json.dumps(args, ensure_ascii=False, allow_nan=False).encode())
    except (ValueError, RecursionError) as error:
        raise ValueError("holds what is no JSON text: a number beyond JSON's, or half of a character") from error
    if size > MOST_ARGUMENTS:
        raise ValueError(f"has at most {MOST_ARGUMENTS} bytes")
    return args


class Body(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())


class Claim(Body):
    agent: Annotated[Name, Field(description="What the timeline calls you", examples=["my-agent"])]
    model: Annotated[
        Name | None, Field(description="What you think with: it stands with your proposals", examples=["openai:gpt-5"])
    ] = None
    playbook: Annotated[
        Name | None, Field(description="A digest of what you were told to do: it stands with your proposals")
    ] = None
    wait: Annotated[
        float, Field(ge=0, le=LONGEST_WAIT, strict=True, description="Seconds to wait for a turn", examples=[1])
    ] = 0


class ToolCall(Body):
    call_id: Annotated[
        Name, Field(description="Yours, one a call: the same again is answered the same", examples=["call-1"])
    ]
    tool: Annotated[Name, Field(description="One of the turn's tools", examples=["get_invoice"])]
    args: Annotated[dict[str, Any], AfterValidator(_storable), Field(description="As the tool's parameters say")] = {}


class Usage(Body):
    """Of one model. A count that the provider did not report stays absent; nothing is added across models."""

    model: Annotated[Name, Field(examples=["openai:gpt-5"])]
    input: Count | None = None
    output: Count | None = None
    cache_read: Count | None = None
    cache_write: Count | None = None
    reasoning: Count | None = None


class End(Body):
    how: Annotated[
        Literal["COMPLETED", "PROVIDER", "TOKEN_LIMIT", "TIMEOUT"],
        Field(description="COMPLETED, or why you give up; the desk says what it saw"),
    ] = "COMPLETED"
    usage: Annotated[list[Usage], Field(max_length=MOST_USAGES)] = []

    def counted(self) -> list[dict[str, Any]]:
        return [one.model_dump(exclude_none=True) for one in self.usage]


# What is answered: described here, made where the rows are ----------------------------------------------------------


class Told(BaseModel):
    """An input. `label` comes from a closed set and names no record; `type` says which other fields there are."""

    model_config = ConfigDict(extra="allow")
    type: Literal["rules-stopped", "rechecked", "reply", "answered", "decision", "note"]
    label: str = Field(examples=["rules-stopped:NO_PO:unhandled"])


class ToolOffered(BaseModel):
    name: str = Field(examples=["get_invoice"])
    description: str
    parameters: dict[str, Any] = Field(
        description="JSON Schema of the arguments", examples=[{"type": "object", "properties": {}}]
    )


class TurnGiven(BaseModel):
    turn_id: str
    case_id: str
    number: int = Field(description="Of the case's turns; one that is offered again keeps its number")
    token: str = Field(
        description="Opens this turn and nothing else, for 15 minutes", examples=["the-turn's-own-token"]
    )
    lease: int = Field(description="Seconds within which a heartbeat or a call is due", examples=[30])
    inputs: list[Told]
    brief: dict[str, Any] = Field(
        description="The case as it stands; ids in it ground nothing",
        examples=[{"exception": {"handle": "exception-1", "reason": "NO_PO"}, "held": False}],
    )
    tools: list[ToolOffered]


class ToolAnswer(BaseModel):
    """REFUSED: by a rule, and `reason` is true. FAILED: something broke, and trying again is right."""

    call_id: str
    outcome: Literal["OK", "REFUSED", "FAILED"]
    result: dict[str, Any] | None = Field(
        examples=[{"id": "0199d2c4-7a10-7c3e-8f00-5b6d1e2f3a4b", "handle": "invoice-1"}]
    )
    ids: list[str] = Field(
        description="What you may cite: forms of the records whose content this is", examples=[["invoice-1"]]
    )
    code: str | None = Field(examples=[None])
    reason: str | None = Field(examples=[None])


class Ended(BaseModel):
    how: str = Field(
        description="COMPLETED, KEPT, WAITING, EMPTY, TOOL_LIMIT, TOKEN_LIMIT, TIMEOUT, INVALID or PROVIDER",
        examples=["COMPLETED"],
    )
