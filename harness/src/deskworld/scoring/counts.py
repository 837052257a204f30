"""What is counted beside the pass: people's touches, and attempts that a control prevented."""

from collections.abc import Sequence

from deskworld.values.evidence import Evidence
from deskworld.values.timeline import name_of, of_kind
from deskworld.values.verdict import FORBIDDEN_PROPOSED, FORBIDDEN_STANDS, Check


def touches(evidence: Evidence) -> int:
    """Decisions that a person was asked to make, and questions that a person answered."""
    return sum(len(of_kind(one.rows, "decision.requested", "question.answered")) for one in evidence.timelines)


def prevented(evidence: Evidence, checks: Sequence[Check]) -> int:
    """Refused calls that no `forbid` names."""
    named = {FORBIDDEN_PROPOSED, FORBIDDEN_STANDS}
    forbidden = {name for check in checks if check.name in named for one in check.findings for name in one.rows}
    refused = (
        row
        for timeline in evidence.timelines
        for row in of_kind(timeline.rows, "tool.called")
        if row["data"]["outcome"] == "REFUSED"
    )
    return sum(name_of(row) not in forbidden for row in refused)
