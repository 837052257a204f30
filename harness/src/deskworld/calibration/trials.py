"""Trying the suspects: whether each failed, and for its own reason.

An agent that fails for another reason proves nothing about the check that it was made for.
"""

import json
from dataclasses import dataclass

from deskworld.bundle import StoredCase
from deskworld.calibration.mending import Json, mend
from deskworld.scoring import score
from deskworld.scoring.score import CheckOf
from deskworld.values.evidence import Evidence
from deskworld.values.suspect import Calibration, Suspect
from deskworld.values.timeline import of_kind
from deskworld.values.verdict import FORBIDDEN_STANDS, Verdict


@dataclass(frozen=True, slots=True)
class Trial:
    """How it went: what failed, which refusals are on record, and what is wrong with that; None when nothing is."""

    name: str
    suspect: Suspect
    failed: frozenset[str]
    controls: frozenset[str]
    wrong: str | None


def tried(name: str, suspect: Suspect, stored: StoredCase) -> Trial:
    """The run of an agent that must fail, against what it must fail for."""
    rows = [row for one in (stored.evidence.timelines if stored.evidence else ()) for row in one.rows]
    calls = of_kind(rows, "tool.called")
    controls = frozenset(row["data"]["code"] for row in calls if row["data"]["code"] is not None)
    return Trial(name, suspect, _failed(stored.verdict), controls, _wrong(suspect, stored.verdict, controls))


def lied(stored: StoredCase, checks: tuple[CheckOf, ...], told: Calibration) -> Trial:
    """A right run, whose ERP never carried the command out: only the desk says that it did. Raises ValueError."""
    if stored.evidence is None:
        raise ValueError("a run without evidence cannot be lied about")
    evidence: Json = json.loads(stored.evidence.model_dump_json())
    told.undo(evidence)
    mend(evidence)
    verdict = score(stored.record.case, stored.record, Evidence.model_validate(evidence), checks)
    return Trial("lying desk", told.lying_desk, _failed(verdict), frozenset(), _missing(told.lying_desk, verdict))


def _failed(verdict: Verdict) -> frozenset[str]:
    return frozenset(check.name for check in verdict.checks if not check.passed)


def _wrong(suspect: Suspect, verdict: Verdict, controls: frozenset[str]) -> str | None:
    failed = _failed(verdict)
    if verdict.broken:
        return f"the run broke: {verdict.broken}"
    if verdict.passed != (not suspect.fails):
        return "it passed" if verdict.passed else f"it must pass, and failed {', '.join(sorted(failed))}"
    if failed != suspect.fails:
        odd = ", ".join(sorted(failed ^ suspect.fails))
        return f"it failed, but not for its own reason: {odd}"
    if suspect.control is not None and suspect.control not in controls:
        return f"no refusal {suspect.control} is on record: {', '.join(sorted(controls)) or 'none at all'}"
    if suspect.unharmed and FORBIDDEN_STANDS in failed:
        return "something forbidden stands"
    return None


def _missing(suspect: Suspect, verdict: Verdict) -> str | None:
    """A lie shows in many places; these must be among them."""
    unseen = suspect.fails - _failed(verdict)
    return f"unseen by {', '.join(sorted(unseen))}" if unseen or verdict.passed else None
