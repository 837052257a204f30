"""A run that broke never passes, and says how and whose fault it was, where that is certain."""

from collections.abc import Sequence
from dataclasses import dataclass

from deskworld.scoring.witnesses import missing
from deskworld.values.evidence import Evidence
from deskworld.values.record import Ending, Record
from deskworld.values.timeline import last_of
from deskworld.values.verdict import CauseClass, Check

# a stall, a timeout or a lost move can be the model's, ours, or the machine's: a person says which
CAUSES: dict[Ending, CauseClass] = {
    "failed": "infrastructure",
    "interrupted": "infrastructure",
    "slip": "scorer",
    "stalled": "unclassified",
    "timeout": "unclassified",
    "move-lost": "unclassified",
}
BY_RULES = frozenset({"rules", "rules+facts", "erp"})


@dataclass(frozen=True, slots=True)
class Broken:
    why: str
    cause: CauseClass


def broken(record: Record, evidence: Evidence | None) -> Broken | None:
    if record.ending != "settled":
        return Broken(f"{record.ending}: {record.problem or 'no reason was given'}", CAUSES[record.ending])
    if record.problem is not None:
        return Broken(record.problem, "infrastructure")
    if record.settled is None:
        return Broken("it is called settled, and no reason is on record", "scorer")
    unheard = missing(record, evidence)
    if unheard is not None:
        return Broken(f"missing: {unheard}", "infrastructure")
    if evidence is not None and _provider_gave_up(record, evidence):
        return Broken("the agent's last turn ended because its provider gave up", "infrastructure")
    return None


def cause_of(checks: Sequence[Check], settled_by: str | None) -> CauseClass:
    """The class of a failure in a run that did not break."""
    certain = {check.cause for check in checks if not check.passed and check.cause}
    for cause in ("scorer", "our system", "infrastructure", "model"):
        if cause in certain:
            return cause
    return "our system" if settled_by in BY_RULES else "unclassified"


def _provider_gave_up(record: Record, evidence: Evidence) -> bool:
    timeline = evidence.of(record.seeded.case_id) if record.seeded else None
    ended = last_of(timeline.rows, "turn.ended") if timeline else None
    return ended is not None and ended["data"]["how"] == "PROVIDER"
