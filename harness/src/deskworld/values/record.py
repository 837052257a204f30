"""A record: what the harness said and saw at the doors while one case was played."""

from typing import Any, Literal

from pydantic import Field

from deskworld.values.case import Case, Seeded
from deskworld.values.frozen import Frozen

MoveKind = Literal["answer", "decision", "mail", "redelivery", "goods"]
Ending = Literal["settled", "stalled", "timeout", "move-lost", "slip", "failed", "interrupted"]


class MailSeen(Frozen):
    """A message that arrived in the counterparties' mailbox."""

    message_id: str
    recipient: str
    in_reply_to: str | None
    subject: str
    digest: str


class Move(Frozen):
    """One thing that a scripted person did, with the rule of the script that caused it.

    `row` says what on the timeline shows that it arrived: a question id, a Message-ID, a decision id, an event's id
    (`nth`: the how-manieth note of it), or the id of the receipt, which the door's answer tells.
    `after`: the row that called for it; an older row about the same decision shows an earlier move.
    `done` is what the door answered; `refused` when that was a true refusal (it was closed meanwhile).
    """

    key: str
    kind: MoveKind
    who: str
    rule: str
    row: str
    after: int = 0
    at: float = Field(description="seconds since the case was seeded")
    said: str | None = None
    verdict: Literal["approve", "decline"] | None = None
    reason: str | None = None
    answers: MailSeen | None = None
    subject: str | None = None
    nth: int = 1
    body: dict[str, Any] | None = None
    done: str | None = None
    refused: bool = False


class View(Frozen):
    """A case as the desk says it stands: what still moves, and who is waited for. See the page of doors."""

    case_id: str
    reason: str
    state: str
    seq: int
    in_motion: tuple[dict[str, Any], ...] = ()
    waiting_on: tuple[dict[str, Any], ...] = ()

    @property
    def at_rest(self) -> bool:
        return not self.in_motion


class Settled(Frozen):
    """Nothing more will happen, and why that is so."""

    because: str
    state: str


class Record(Frozen):
    case: Case
    seeded: Seeded | None
    ending: Ending
    settled: Settled | None
    problem: str | None = Field(default=None, description="what broke, in words; None when nothing did")
    moves: tuple[Move, ...] = ()
    mail: tuple[MailSeen, ...] = ()
    seconds: float = Field(description="wall time from the seed's answer to settlement")
