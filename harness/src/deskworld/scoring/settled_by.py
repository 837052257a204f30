"""Who settled the case: a re-check of the ERP, the agent, or the rules with or without a fact from a letter."""

from deskworld.values.evidence import CaseTimeline
from deskworld.values.timeline import last_of, of_kind

RESOLVED_EVENT = "match-exception.resolved"


def settled_by(timeline: CaseTimeline) -> str:
    if _closed_by_recheck(timeline):
        return "erp"
    if of_kind(timeline.rows, "turn.started"):
        return "agent"
    facts = of_kind(timeline.rows, "fact.established")
    return "rules+facts" if any(row["data"]["source"]["kind"] == "mail" for row in facts) else "rules"


def _closed_by_recheck(timeline: CaseTimeline) -> bool:
    moved = last_of(timeline.rows, "case.moved")
    if moved is None or moved["data"]["to"] != "RESOLVED":
        return False
    events = [row for row in of_kind(timeline.rows, "event.received") if row["data"]["type"] == RESOLVED_EVENT]
    cause = events[-1]["data"]["event_cause"] if events else None
    return cause is not None and cause["kind"] != "command"
