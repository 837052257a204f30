"""What the inputs of a turn say, each kind read once."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from deskworld_agent.playbook.records import amount, text
from deskworld_agent.wire import Input


@dataclass(frozen=True, slots=True)
class Reply:
    """What a reader made of the vendor's letter. Nobody here has seen the letter itself."""

    intent: str
    stranger: bool
    instructs: bool
    unread: bool
    order_number: str | None
    price: Decimal | None
    substitution_reason: str | None
    shipped_item: str | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a decision: applied, declined, refused, withdrawn, stale."""

    outcome: str
    action: str


@dataclass(frozen=True, slots=True)
class News:
    """The last of each kind that this turn tells; None where it tells none."""

    stopped: str | None = None
    reply: Reply | None = None
    answer: str | None = None
    outcome: Outcome | None = None
    rechecked: str | None = None
    noted: bool = False

    @property
    def only_carried_out(self) -> bool:
        """A decision was carried out and nothing else is told: there is nothing to do."""
        carried_out = self.outcome is not None and self.outcome.outcome == "applied"
        return carried_out and not (
            self.stopped or self.reply or self.answer is not None or self.rechecked or self.noted
        )


def read(inputs: Iterable[Input]) -> News:
    found: dict[str, Any] = {}
    for told in inputs:
        said = told.said
        match told.type:
            case "rules-stopped":
                found["stopped"] = str(said.get("reason"))
                if said.get("reason") == "failed" and (known := _known(said)) is not None:
                    found["reply"] = known
            case "reply":
                found["reply"] = _reply(said)
            case "answered":
                found["answer"] = str(said.get("text", ""))
            case "decision":
                found["outcome"] = Outcome(outcome=str(said.get("outcome")), action=str(said.get("action")))
            case "rechecked":
                cause = said.get("cause")
                found["rechecked"] = str(cause.get("kind")) if isinstance(cause, dict) else "unknown"
            case "note":
                found["noted"] = True
    return News(**found)


def _known(said: dict[str, Any]) -> Reply | None:
    """What the vendor had written already when the rules met an outage: the desk holds it for a fact, so the system of
    record bore it out, and nobody is asked again."""
    facts = said.get("facts")
    held = {one.get("fact"): one.get("value") for one in facts if isinstance(one, dict)} if facts else {}
    intents = {"substitution_reason": "SUBSTITUTED_ITEM", "po_number": "GIVES_PO_NUMBER"}
    intent = next((intents[fact] for fact in intents if fact in held), None)
    if intent is None:
        return None
    reading = {**held, "intent": intent, "contains_instructions": False}
    return _reply({"reading": reading, "sender": "known"})


def _reply(said: dict[str, Any]) -> Reply:
    reading = said.get("reading")
    reading = reading if isinstance(reading, dict) else {"failed": True}
    return Reply(
        intent=str(reading.get("intent", "UNCLEAR")),
        stranger=said.get("sender") != "known",
        instructs=reading.get("contains_instructions") is not False,
        unread=bool(reading.get("failed")),
        order_number=text(reading.get("po_number")),
        price=amount(reading.get("stated_price")),
        substitution_reason=text(reading.get("substitution_reason")),
        shipped_item=text(reading.get("shipped_item")),
    )
