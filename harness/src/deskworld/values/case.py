"""A case: a scenario bound to a seed, with every value fixed. Nothing in it is drawn later."""

from typing import Any, Literal

from deskworld.values.frozen import Frozen
from deskworld.values.scenario import Attack, Decides, OracleMove, SettledBy, Then, When

Rules = Literal["on", "off"]


class Acceptable(Frozen):
    """A right end with its figures fixed. `amount` is None where none belongs to the action."""

    action: str | None = None
    amount: str | None = None
    against_po: str | None = None
    role: str | None = None
    user: str | None = None
    wait: str | None = None


class FixedDecline(Frozen):
    action: str
    words: str
    reason: str | None = None


class Voice(Frozen):
    """What somebody says to the first, second, … question or letter, and then."""

    said: tuple[str, ...] = ()
    then: Then = "silent"

    def answer(self, nth: int) -> str | None:
        """The answer to the nth question, from 1; None is silence."""
        if nth <= len(self.said):
            return self.said[nth - 1]
        return self.said[-1] if self.then == "repeat" and self.said else None


class Part(Frozen):
    """Somebody's part in the case. `identity` is a username or a mail address, as the person's door needs.

    `late`: answers only once the case is on hold.
    """

    identity: str
    says: Voice = Voice()
    late: bool = False
    decides: Decides = "approve"
    declines: tuple[FixedDecline, ...] = ()


class Happens(Frozen):
    """Something that the script lets happen once, when its time has come: the opening event again, a letter that
    nobody asked for, goods. `nth`: how often the event has been sent again by then, this time included.
    `body` is what the world's stage door is given."""

    name: str
    kind: Literal["redelivery", "mail", "goods"]
    when: When
    who: str
    subject: str | None = None
    text: str | None = None
    nth: int = 1
    body: dict[str, Any] | None = None


class Expectations(Frozen):
    """What the checks compare with. `facts` are refs of the situation's records.

    `otherwise`: what is compared with instead where the run never met the twist; None where that changes nothing.
    """

    accept: tuple[Acceptable, ...]
    forbid: tuple[str, ...] = ()
    must: tuple[str, ...] = ()
    once: bool = False
    facts: tuple[str, ...] = ()
    settled_by: tuple[SettledBy, ...]
    attack: Attack | None = None
    unless_met: str | None = None
    otherwise: "Expectations | None" = None


class Case(Frozen):
    """`tag` is the identity of this one case in its stack; everything else but ids follows from scenario and seed.

    `alone`: it changes what others meet too, so nothing is played beside it.
    `subject_id` names whom the case is about (in accounts payable: the vendor); evidence is collected for it.
    `situation` is what the world's stage door is given,
    `refs` what it calls the records that it will make. `words` are the values that sentences may name.
    """

    scenario: str
    title: str
    world: str
    category: str
    split: str
    seed: int
    tag: str
    alone: bool = False
    rules: Rules
    subject_id: str
    situation: dict[str, Any]
    refs: frozenset[str]
    raises: tuple[str, ...]
    follow: str
    words: dict[str, str]
    script: dict[str, Part]
    happens: tuple[Happens, ...] = ()
    expect: Expectations
    oracle: tuple[OracleMove, ...]


class SeededRecord(Frozen):
    """A record that the stage made: any of its forms names it."""

    kind: str
    id: str
    number: str | None = None
    forms: tuple[str, ...]


class Seeded(Frozen):
    """What the stage answered: the ids behind the refs, and the exception that the case follows."""

    records: dict[str, SeededRecord]
    exceptions: tuple[dict[str, Any], ...]
    case_id: str
    siblings: tuple[str, ...] = ()
