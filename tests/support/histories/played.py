"""A case, its record and its evidence, as the scorer gets them.

The histories of these tests are abridged: they tell what a run is judged by and not everything that a stack records.
Whether all records agree is therefore tested on stored runs (`tests/support/stored_runs.py`).
"""

from dataclasses import dataclass

from deskworld.scoring import score
from deskworld.values.case import Case
from deskworld.values.evidence import Evidence
from deskworld.values.record import Record
from deskworld.values.verdict import Verdict
from deskworld.worlds.ap.checks import JUDGING


@dataclass(frozen=True)
class Played:
    case: Case
    record: Record
    evidence: Evidence

    def verdict(self) -> Verdict:
        return score(self.case, self.record, self.evidence, JUDGING)

    def failed(self) -> set[str]:
        return {check.name for check in self.verdict().checks if not check.passed}
