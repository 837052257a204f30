"""What the desk came to: the action that was proposed last, by whomever, and not only where it was carried out."""

from deskworld.values.evidence import CaseTimeline
from deskworld.values.timeline import last_of


def last_proposal(timeline: CaseTimeline) -> str | None:
    """None where nothing was proposed: the case waits, or a person has it."""
    made = last_of(timeline.rows, "proposal.made")
    return None if made is None else str(made["data"]["action"])
