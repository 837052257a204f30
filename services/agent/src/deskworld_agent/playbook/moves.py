"""The moves that end a turn's work. Each is a call of one tool, or none."""

from dataclasses import dataclass
from typing import Literal

Action = Literal["approve-variance", "short-pay", "hold", "reject", "request-credit-memo"]


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to the order's buyer."""

    question: str
    about: str
    order_number: str | None = None


@dataclass(frozen=True, slots=True)
class Write:
    """A letter to the vendor."""

    subject: str
    body: str


@dataclass(frozen=True, slots=True)
class Propose:
    action: Action
    citations: tuple[str, ...]
    rationale: str
    amount: str | None = None
    settles: tuple[str, ...] = ()
    against_po: str | None = None


@dataclass(frozen=True, slots=True)
class Keep:
    reason: str


@dataclass(frozen=True, slots=True)
class Wait:
    reason: str


@dataclass(frozen=True, slots=True)
class Stop:
    """Nothing that this agent may do is left: a person takes over."""

    reason: str


Move = Ask | Write | Propose | Keep | Wait | Stop
