"""A scenario: one file of the catalogue, a business situation with a known right answer.

The head is the same in every world; `seed` and the outcomes are the world's.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BeforeValidator, Field, PrivateAttr, WithJsonSchema, model_validator

from deskworld.values.frozen import Frozen

Split = Literal["development", "regression", "transfer", "held-out"]
Role = Literal["scenario", "twin", "global"]
Then = Literal["repeat", "silent"]
Decides = Literal["approve", "decline", "silent"]
SettledBy = Literal["rules", "rules+facts", "agent", "erp"]
_SETTLED: dict[str, Any] = {"enum": ["rules", "rules+facts", "agent", "erp"]}
_SETTLED_BY: dict[str, Any] = {"anyOf": [_SETTLED, {"type": "array", "items": _SETTLED, "minItems": 1}]}
When = Literal["opened", "applied", "held"]
"""What something of the script waits for: the case is open, its command was carried out, it is on hold."""

Phrasings = tuple[str, ...]
"""Ways to say one thing; one is drawn by the case's seed. Placeholders `{…}` come from the compiled case."""


def _phrasings(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


_ONE_OR_MANY: dict[str, Any] = {
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]
}
Said = Annotated[Phrasings, BeforeValidator(_phrasings), Field(min_length=1), WithJsonSchema(_ONE_OR_MANY)]


_ANSWERS: dict[str, Any] = {
    "type": "array",
    "description": "the first time, the second time, …; last what comes then",
    "items": {
        "anyOf": [
            *_ONE_OR_MANY["anyOf"],
            {
                "type": "object",
                "properties": {"then": {"enum": ["repeat", "silent"]}},
                "required": ["then"],
                "additionalProperties": False,
            },
        ]
    },
}


class Answers(Frozen):
    """What somebody answers when asked: the first time, the second time, …, and then."""

    said: tuple[Said, ...] = ()
    then: Then = "silent"

    @model_validator(mode="before")
    @classmethod
    def _from_list(cls, value: Any) -> Any:
        """`["first", ["second", "or so"], {then: repeat}]`, as the files write it."""
        if not isinstance(value, list | tuple):
            return value
        said, then = [], "silent"
        for position, item in enumerate(value):
            if isinstance(item, Mapping):
                if set(item) != {"then"} or position != len(value) - 1:
                    raise ValueError("a mapping in answers is {then: repeat} or {then: silent}, and stands last")
                then = item["then"]
            else:
                said.append(item)
        return {"said": said, "then": then}


class Decline(Frozen):
    """One decision that a person does not approve."""

    action: str
    words: Said
    reason: Literal["PAY_PO_PRICE", "RETURN_GOODS"] | None = None


class Person(Frozen):
    """Somebody in the situation: what they answer, and how they decide. Two axes. The world says who there is.

    `late`: answers only once the case is on hold.
    """

    answers: Annotated[Answers, WithJsonSchema(_ANSWERS)] = Answers()
    late: bool = False
    decides: Decides = "approve"
    declines: tuple[Decline, ...] = ()

    @model_validator(mode="after")
    def _declines_are_said(self) -> "Person":
        if (self.decides == "decline") != bool(self.declines):
            raise ValueError("decides: decline and a list of declines go together")
        return self


class Accept(Frozen):
    """One right end: an action decided by a role, or a wait for somebody. Amounts and orders are words of the case."""

    action: str | None = None
    amount: str | None = None
    against_po: str | None = Field(default=None, validation_alias=AliasChoices("against-po", "against_po"))
    by: str | None = None
    wait: str | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> "Accept":
        if (self.action is None) == (self.wait is None):
            raise ValueError("an accepted end is either an action or a wait")
        if (self.action is None) != (self.by is None):
            raise ValueError("an accepted action says who decides it, with `by`")
        return self


class OracleMove(Frozen):
    """One move of the reference agent: it asks, writes, proposes, keeps or waits."""

    ask: str | None = None
    write: str | None = None
    propose: str | None = None
    keep: str | None = None
    wait: str | None = None
    text: str | None = None
    subject: str | None = None
    amount: str | None = None
    against_po: str | None = Field(default=None, validation_alias=AliasChoices("against-po", "against_po"))
    settles: Literal["all"] | None = None
    cite: Literal["facts"] | None = None

    @model_validator(mode="after")
    def _one_move(self) -> "OracleMove":
        named = [name for name in ("ask", "write", "propose", "keep", "wait") if getattr(self, name) is not None]
        if len(named) != 1:
            raise ValueError(f"a move is exactly one of ask, write, propose, keep, wait; this one is {named or 'none'}")
        if (self.ask or self.write) and not self.text:
            raise ValueError("who asks or writes needs a `text`")
        return self


class Attack(Frozen):
    """What makes a scenario an attack: how its arrival is seen, and the same situation without it."""

    marker: str
    twin: str


class UnlessMet(Frozen):
    """A run that never met the twist is judged as another situation, or alike (`same`)."""

    judge_as: str = Field(validation_alias=AliasChoices("judge-as", "judge_as"))


class Unsolicited(Frozen):
    """A letter that nobody asked for, written by somebody outside as soon as the case is open."""

    by: str
    subject: Said
    text: Said


class Twist(Frozen):
    """What happens besides answers and decisions, in every world. `redelivered`: the event that opened the case."""

    redelivered: tuple[When, ...] = ()
    unsolicited: tuple[Unsolicited, ...] = ()


class Scenario(Frozen):
    name: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    title: str = Field(min_length=1)
    world: str = "ap"
    category: str
    split: Split
    role: Role = "scenario"
    why: str = Field(min_length=1)
    taught: str = ""
    seed: dict[str, Any]
    follow: str | None = None
    facts: tuple[str, ...] = ()
    accept: tuple[Accept, ...] = Field(min_length=1)
    forbid: tuple[str, ...] = ()
    must: tuple[str, ...] = ()
    once: bool = False
    people: dict[str, Person] = Field(default_factory=dict)
    attack: Attack | None = None
    twist: Twist = Twist()
    unless_met: UnlessMet | None = Field(default=None, validation_alias=AliasChoices("unless-met", "unless_met"))
    settled_by: Annotated[
        tuple[SettledBy, ...], BeforeValidator(_phrasings), Field(min_length=1), WithJsonSchema(_SETTLED_BY)
    ] = Field(validation_alias=AliasChoices("settled-by", "settled_by"))
    oracle: tuple[OracleMove, ...] = Field(min_length=1)

    _plain: "Scenario | None" = PrivateAttr(default=None)
    _places: dict[tuple[str | int, ...], str] = PrivateAttr(default_factory=dict)

    @property
    def plain(self) -> "Scenario | None":
        """The situation that a run is judged as which never met the twist; None where it is judged alike."""
        return self._plain

    def judged_as(self, plain: "Scenario") -> "Scenario":
        """The same scenario, bound to the other one that `unless-met` names."""
        bound = self.model_copy()
        bound._plain = plain  # noqa: SLF001 - its own
        return bound

    def read_at(self, places: dict[tuple[str | int, ...], str]) -> "Scenario":
        """The same scenario, which knows the file and line of each of its keys."""
        placed = self.model_copy()
        placed._places = places  # noqa: SLF001 - its own
        return placed

    def where(self, *place: str | int) -> str:
        """File and line of a key, or of the nearest one above it that stands in the file; else the scenario's name."""
        known = place
        while known and known not in self._places:
            known = known[:-1]
        return self._places.get(known, self.name)
