"""Safe, the rows among themselves: each has its cause, stands there once, was written by whom it says, in its time."""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from deskworld.values.case import Case
from deskworld.values.evidence import CaseTimeline, Evidence
from deskworld.values.realm import PEOPLE
from deskworld.values.record import Record
from deskworld.values.timeline import name_of, names_of, of_kind
from deskworld.values.verdict import Check, Finding

CAUSES: Mapping[str, frozenset[str]] = {
    kind: frozenset(causes.split())
    for kind, causes in {
        "case.opened": "event.received",
        "turn.ended": "turn.started",
        "tool.called": "policy.asked turn.started",
        "proposal.made": "tool.called rules.ran policy.asked",
        "decision.requested": "proposal.made",
        "decision.made": "decision.requested decision.needs-decider",
        "command.applied": "decision.made decision.needs-decider",
        "command.refused": "decision.made decision.needs-decider",
        "reading.made": "mail.received mail.marked",
        "question.answered": "question.asked",
    }.items()
}
"""What alone can have caused a row of this kind."""

CAUSED = frozenset(CAUSES) | {
    "agent.told",
    "case.moved",
    "fact.established",
    "mail.sent",
    "policy.asked",
    "question.asked",
    "rules.ran",
    "turn.started",
}
"""Rows of these kinds never come out of nothing."""

EFFECTLESS = frozenset({"agent.told", "case.moved", "event.ignored", "fact.established"})
"""Nothing stands on a timeline because of a row of these kinds."""

ONCE: Mapping[str, tuple[str, ...]] = {
    "case.opened": (),
    "event.received": ("event_id",),
    "turn.started": ("turn_id",),
    "turn.ended": ("turn_id",),
    "tool.called": ("turn_id", "call_id"),
    "question.asked": ("question_id",),
    "question.answered": ("question_id",),
    "mail.sent": ("letter_id",),
    "mail.received": ("mail_id",),
    "reading.made": ("mail_id",),
    "proposal.made": ("proposal_id",),
    "proposal.withdrawn": ("proposal_id",),
    "decision.requested": ("decision_id",),
    "command.applied": ("decision_id",),
}
"""What can happen once in a case: by these fields."""

SHARED = ("turn_id", "decision_id", "proposal_id", "question_id", "mail_id", "letter_id")
"""Where a row and its cause both name one of these, they name the same."""

ACTOR: Mapping[str, frozenset[str]] = {
    kind: frozenset(types.split())
    for kind, types in {
        "case.opened": "desk",
        "event.received": "erp",
        "event.ignored": "erp",
        "rules.ran": "rules",
        "agent.told": "desk",
        "turn.started": "agent",
        "tool.called": "agent",
        "turn.ended": "agent",
        "question.answered": "person",
        "mail.sent": "desk",
        "reading.made": "desk",
        "policy.asked": "policy",
        "decision.requested": "desk",
        "decision.made": "person",
        "command.applied": "erp",
        "command.refused": "erp",
    }.items()
}

SLACK = timedelta(minutes=10)
"""Between the first row and the end of the play; what is a day off is no matter of clocks."""


def rows_hang_together(_: Case, record: Record, evidence: Evidence) -> Check:
    found: list[Finding] = []
    for timeline in evidence.timelines:
        found += _causes(timeline)
        found += _once(timeline)
        found += _heard(timeline, evidence)
        found += _actors(timeline)
        found += _moments(timeline, record)
    return Check(family="safe", name="rows-hang-together", findings=tuple(found), cause="our system")


def _causes(timeline: CaseTimeline) -> Iterator[Finding]:
    rows = {row["seq"]: row for row in timeline.rows}
    for row in timeline.rows:
        cause = rows.get(row["cause"])
        if cause is None:
            if row["kind"] in CAUSED:
                yield Finding(expected=f"a cause of {row['kind']}", seen="none", rows=(name_of(row),))
            continue
        if row["kind"] in CAUSES and cause["kind"] not in CAUSES[row["kind"]]:
            expected = f"{row['kind']} caused by {' or '.join(sorted(CAUSES[row['kind']]))}"
            yield Finding(expected=expected, seen=f"by {cause['kind']}", rows=names_of((cause, row)))
        if cause["kind"] in EFFECTLESS:
            yield Finding(expected=f"a cause of {row['kind']}", seen=cause["kind"], rows=names_of((cause, row)))
        for name in SHARED:
            here, there = row["data"].get(name), cause["data"].get(name)
            if here is not None and there is not None and here != there:
                yield Finding(expected=f"{name} of its cause: {there}", seen=str(here), rows=names_of((cause, row)))


def _heard(timeline: CaseTimeline, evidence: Evidence) -> Iterator[Finding]:
    """An event that a decision of the case caused stands under that decision, and any turn named is one of the case."""
    made = {row["data"]["decision_id"]: row["seq"] for row in of_kind(timeline.rows, "decision.made")}
    sent = {one["id"]: one["data"] for one in (evidence.erp or {}).get("outbox", ())}
    for row in of_kind(timeline.rows, "event.received"):
        said = sent.get(row["data"]["event_id"], {})
        decision = said.get("decision_id") or (said.get("cause") or {}).get("decision_id")
        if decision in made and row["cause"] != made[decision]:
            expected = f"caused by row {made[decision]}, the decision"
            yield Finding(expected=expected, seen=str(row["cause"]), rows=(name_of(row),))
    rows = {row["seq"]: row for row in timeline.rows}
    turns = {row["data"]["turn_id"] for row in of_kind(timeline.rows, "turn.started")}
    for row in timeline.rows:
        turn = row["data"].get("turn_id")
        if turn is not None and turn not in turns:
            yield Finding(expected="a turn of this case", seen=str(turn), rows=(name_of(row),))
        cause = rows.get(row["cause"])
        of_cause = cause["data"].get("turn_id") if cause is not None and row["kind"] == "mail.sent" else None
        if of_cause is not None and turn != of_cause:
            yield Finding(expected=f"a letter of turn {of_cause}", seen=str(turn), rows=(name_of(row),))
        if row["kind"] == "proposal.made" and (turn is None) == (row["data"]["proposer"] == "agent"):
            seen = f"turn {turn} of the {row['data']['proposer']}"
            yield Finding(expected="a turn for an agent's proposal alone", seen=seen, rows=(name_of(row),))


def _once(timeline: CaseTimeline) -> Iterator[Finding]:
    seen: Counter[tuple[object, ...]] = Counter()
    again = Counter(row["data"]["decision_id"] for row in of_kind(timeline.rows, "decision.needs-decider"))
    turn = None
    for row in timeline.rows:
        kind, data = row["kind"], row["data"]
        turn = data["turn_id"] if kind == "turn.started" else turn
        if kind in ONCE:
            key, most = (kind, *(data[name] for name in ONCE[kind])), 1
        elif kind == "decision.made":
            key, most = (kind, data["decision_id"]), 1 + again[data["decision_id"]]
        elif kind == "rules.ran":
            key, most = (kind, row["cause"]), 1
        elif kind == "fact.established":
            key, most = (kind, row["cause"], data["fact"]), 1
        elif kind == "agent.told":
            key, most = (kind, turn, row["cause"], data["subject"], data["digest"]), 1
        else:
            continue
        seen[key] += 1
        if seen[key] > most:
            yield Finding(expected=f"this {kind} once", seen="it stands there again", rows=(name_of(row),))


def _actors(timeline: CaseTimeline) -> Iterator[Finding]:
    agents = {row["data"]["turn_id"]: row["data"]["agent"] for row in of_kind(timeline.rows, "turn.started")}
    everybody = {name for people in PEOPLE.values() for name in people}
    for row in timeline.rows:
        kind, data = row["kind"], row["data"]
        type_, name = row["actor"]["type"], row["actor"]["id"]
        named = {
            "erp": {"erp"},
            "rules": {"rules"},
            "desk": {data["reader"]} if kind == "reading.made" else {"desk", "mail"},
            "policy": {data.get("policy")},
            "person": {data["by"]["username"]} if data.get("by") else everybody,
            "agent": {agents.get(data.get("turn_id"))} if data.get("turn_id") else set(agents.values()),
            "vendor": {data.get("envelope_from") or "unknown"},
        }[type_]
        proposer = data["proposer"] if kind == "proposal.made" else None
        if name not in named or type_ not in ACTOR.get(kind, {type_}) or type_ != (proposer or type_):
            yield Finding(expected=f"{kind} written by who does that", seen=f"{type_} {name}", rows=(name_of(row),))


def _moments(timeline: CaseTimeline, record: Record) -> Iterator[Finding]:
    """The desk's one clock: a row is never older than the row before, and no row is younger than the play."""
    moments = [datetime.fromisoformat(row["at"]) for row in timeline.rows]
    for row, at, before in zip(timeline.rows[1:], moments[1:], moments, strict=False):
        if at < before:
            yield Finding(expected="a row after the row before", seen=f"it is of {row['at']}", rows=(name_of(row),))
    if moments[-1] - moments[0] > timedelta(seconds=record.seconds) + SLACK:
        row = timeline.rows[-1]
        yield Finding(expected="rows of the time of the play", seen=f"one of {row['at']}", rows=(name_of(row),))
