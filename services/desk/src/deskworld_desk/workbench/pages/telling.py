"""The timeline in words, one sentence a row. Records are graded and rows are the record: this is for reading only."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Told:
    """`quote`: what somebody wrote, as it was written. `alarm`: what a reader must not miss."""

    sentence: str
    quote: str | None = None
    alarm: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a timeline as the page shows it."""

    seq: int
    at: str
    who: str
    kind: str
    told: Told
    details: tuple[tuple[str, str], ...]
    letter: str | None


def line(row: Mapping[str, Any], letters: Mapping[str, str]) -> Line:
    """`letters`: the text of each letter by its digest."""
    actor, data = row["actor"], row["data"]
    who = actor["type"] if actor["id"] in {actor["type"], ""} else f"{actor['type']} {actor['id']}"
    letter = letters.get(data.get("digest", "")) if row["kind"].startswith("mail.") else None
    return Line(row["seq"], row["at"], who, row["kind"], told(row["kind"], data), details(data), letter)


def told(kind: str, data: Data) -> Told:
    """A kind that has no words yet is called by its name: a new one hides nothing."""
    in_words = WORDS.get(kind)
    if in_words is None:
        return Told(kind)
    said = in_words(data)
    return Told(said) if isinstance(said, str) else said


def details(data: Data) -> tuple[tuple[str, str], ...]:
    """Everything that the row says, as label and value."""
    return tuple((name, text(value)) for name, value in data.items() if value not in (None, [], ""))


def text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    return json.dumps(value, ensure_ascii=False)


def money(data: Data) -> str:
    return f", {data['amount']} {data['currency']}" if data.get("amount") else ""


def _decided(data: Data) -> Told:
    verb = "approved" if data["verdict"] == "approve" else "declined"
    reason = f" ({data['reason']})" if data["reason"] else ""
    return Told(f"{data['by']['username']} {verb}{reason}.", data["words"])


def _reading(data: Data) -> Told:
    flags = [
        "it holds instructions" if data["contains_instructions"] else "",
        "the reader failed on part of it" if data["failed"] else "",
    ]
    seen = "; ".join(flag for flag in flags if flag)
    sentence = f"The reader {data['reader']} understands the letter as {data['intent']}"
    return Told(f"{sentence}: {seen}." if seen else f"{sentence}.", alarm=bool(seen))


def _received(data: Data) -> Told:
    stranger = data["sender"] == "stranger"
    known = "somebody whom the desk did not write to" if stranger else "the address that the desk wrote to"
    said = f"A letter came from {data['envelope_from'] or 'no address'}, {known} ({data['class']})."
    return Told(said, alarm=stranger)


def _sent(data: Data) -> Told:
    refused = [one["address"] for one in data["recipients"] if one["outcome"] != "accepted"]
    to = ", ".join(one["address"] for one in data["recipients"])
    said = f"A letter went to {to}: “{data['subject']}”."
    return Told(f"{said} Refused for {', '.join(refused)}." if refused else said, alarm=bool(refused))


def _bounced(data: Data) -> Told:
    said = "; ".join(f"{one['action']} for {one['address']} ({one['status']})" for one in data["deliveries"])
    failed = any(one["action"] == "failed" for one in data["deliveries"])
    return Told(f"A mail server says of the desk's letter: {said}.", alarm=failed)


def _rules(data: Data) -> str:
    match data["outcome"]:
        case "propose":
            return f"The rules found what to propose (row {data['row']})."
        case "ask":
            return f"The rules need a fact and ask for it by letter (row {data['row']})."
    return f"The rules stopped: {data['reason']}."


def _tool(data: Data) -> Told:
    failed = data["outcome"] != "OK"
    why = f": {data['code']}" if data["code"] else ""
    return Told(f"The agent called {data['tool']}: {data['outcome']}{why}.", data["detail"], alarm=failed)


def _policy(data: Data) -> Told:
    to = data["user"] or data["role"]
    reasons = "; ".join(reason["text"] for reason in data["reasons"])
    said = f"The policy {data['policy']} says {data['effect']}{f' to {to}' if to else ''}"
    return Told(f"{said}: {reasons}" if reasons else f"{said}.", alarm=data["effect"] == "refuse")


WORDS: Mapping[str, Callable[[Data], str | Told]] = {
    "case.opened": lambda d: f"The case was opened: {d['reason']}{money(d)}.",
    "event.received": lambda d: f"The system of record told: {d['type']}.",
    "event.ignored": lambda d: f"The system of record told {d['type']}; it changes nothing ({d['why']}).",
    "rules.ran": _rules,
    "fact.established": lambda d: f"Established: {d['fact']} is {text(d['value'])} ({d['how']}).",
    "agent.told": lambda d: f"The agent is told: {d['label']}.",
    "turn.started": lambda d: f"{d['agent']} starts turn {d['number']}.",
    "tool.called": _tool,
    "turn.ended": lambda d: f"The turn ended: {d['how']}.",
    "question.asked": lambda d: Told(f"{d['to']} is asked.", d["text"]),
    "question.answered": lambda d: Told(f"{d['by']['username']} answers.", d["text"]),
    "mail.sent": _sent,
    "mail.received": _received,
    "mail.marked": lambda d: Told(f"Its words are doubtful: {', '.join(d['marks'])}.", alarm=True),
    "mail.bounced": _bounced,
    "mail.dismissed": lambda d: Told(f"{d['by']['username']} dismissed a letter that was set aside.", d["reason"]),
    "mail.set-aside": lambda d: f"A letter from {d['envelope_from'] or 'no address'} was set aside: {d['why']}.",
    "reading.made": _reading,
    "policy.asked": _policy,
    "proposal.made": lambda d: Told(f"Proposed: {d['action']}{money(d)}.", d["rationale"]),
    "proposal.withdrawn": lambda d: f"The proposal is withdrawn: {d['why']}.",
    "deadline.passed": lambda d: Told(f"Nobody spoke in time: the {d['what']} is no longer asked.", alarm=True),
    "decision.requested": lambda d: f"{d['user'] or d['role']} is asked to decide: {d['action']}{money(d)}.",
    "decision.made": _decided,
    "decision.needs-decider": lambda d: Told(f"{d['whom']['username']} is needed once more: {d['why']}.", alarm=True),
    "command.applied": lambda d: f"Carried out: {d['action']}; the record is {d['status']} now.",
    "command.refused": lambda d: Told(f"Refused by the system of record: {d['code']}.", d["detail"], alarm=True),
    "case.moved": lambda d: f"From {d['from']} to {d['to']}: {d['why']}.",
    "hold.kept": lambda d: Told("The hold is kept.", d["reason"]),
    "person.noted": lambda d: Told(f"{d['by']['username']} notes.", d["text"]),
    "flag.cleared": lambda d: Told(
        f"{d['by']['username']} cleared the flag {d['flag']}, confirmed by {d['confirmed_by']['username']}.",
        d["reason"],
    ),
    "feedback.given": lambda d: Told(f"{d['by']['username']} on {d['about']}.", d["text"]),
}
