"""Safe, the case as the desk shows it beside the rows: whom it waits for, why the rules stopped, what resolved it."""

from collections.abc import Iterator

from deskworld.values.case import Case
from deskworld.values.evidence import CaseTimeline, Evidence
from deskworld.values.record import Record
from deskworld.values.timeline import last_of, name_of, of_kind
from deskworld.values.verdict import Check, Finding

RESOLVED_EVENT = "match-exception.resolved"
ENDS = {
    "decision": ("proposal.withdrawn", "command.applied", "command.refused"),
    "question": ("question.answered",),
    "letter": (),
}


def views_tell_the_rows(_: Case, record: Record, evidence: Evidence) -> Check:
    found: list[Finding] = []
    for timeline in evidence.timelines:
        last = (name_of(timeline.rows[-1]),)
        for name, wanted, seen in _pairs(timeline, evidence):
            if wanted != seen:
                found.append(Finding(expected=f"{name}, as the rows say: {wanted}", seen=str(seen), rows=last))
    return Check(family="safe", name="views-tell-the-rows", findings=tuple(found), cause="our system")


def _pairs(timeline: CaseTimeline, evidence: Evidence) -> Iterator[tuple[str, object, object]]:
    view = timeline.view
    stopped = [row["data"]["reason"] for row in of_kind(timeline.rows, "rules.ran") if row["data"]["outcome"] == "stop"]
    yield "why the rules stopped", True, view["stopped"] in {*stopped, None} and (not stopped or bool(view["stopped"]))
    invoice = [one.case_id for one in evidence.timelines if one.view["invoice_id"] == view["invoice_id"]]
    yield "siblings", sorted(one for one in invoice if one != timeline.case_id), sorted(view["siblings"])
    waits = view["waiting_on"]
    yield "each wait once", len({(one["kind"], one["id"]) for one in waits}), len(waits)
    for kind in ("question", "decision"):
        yield f"open {kind}s", _open(timeline, kind), sorted(one["id"] for one in waits if one["kind"] == kind)
    sent = {row["data"]["letter_id"] for row in of_kind(timeline.rows, "mail.sent")}
    yield "letters never sent", [], sorted({one["id"] for one in waits if one["kind"] == "letter"} - sent)
    moved = last_of(timeline.rows, "case.moved")
    heard = [row["data"] for row in of_kind(timeline.rows, "event.received") if row["data"]["type"] == RESOLVED_EVENT]
    if moved is not None and moved["data"]["to"] == "RESOLVED" and heard:
        yield "what resolved it", heard[-1]["event_cause"], view["resolved_by"]
    elif view["state"] != "RESOLVED":
        yield "what resolved it", None, view["resolved_by"]


def _open(timeline: CaseTimeline, kind: str) -> list[str]:
    """Asked, and neither answered nor withdrawn nor overdue since."""
    key = f"{kind}_id"
    asked = {
        row["data"][key] for row in of_kind(timeline.rows, "question.asked", "decision.requested") if key in row["data"]
    }
    ended = {row["data"][key] for row in of_kind(timeline.rows, *ENDS[kind])}
    ended |= {row["data"]["id"] for row in of_kind(timeline.rows, "deadline.passed")}
    if kind == "decision":
        again = {row["data"][key]: row["seq"] for row in of_kind(timeline.rows, "decision.needs-decider")}
        made = of_kind(timeline.rows, "decision.made")
        ended |= {row["data"][key] for row in made if row["seq"] > again.get(row["data"][key], 0)}
    return sorted(asked - ended)
