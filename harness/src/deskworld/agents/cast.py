"""Which script belongs to which case. The harness hands it out when a case is seeded; a turn may be there sooner."""

import asyncio
from collections import defaultdict
from dataclasses import dataclass

from deskworld.values.case import Case, Seeded
from deskworld.values.scenario import OracleMove

AWAITED_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Script:
    """`facts` are, for each record that a right decision rests on, the forms that name it."""

    moves: tuple[OracleMove, ...]
    facts: tuple[frozenset[str], ...]


class Cast:
    def __init__(self, *, awaited: float = AWAITED_SECONDS) -> None:
        self._awaited = awaited
        self._known: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._scripts: dict[str, Script] = {}

    def hand_out(self, case: Case, seeded: Seeded) -> None:
        """A sibling of the case has no script of its own."""
        forms = tuple(frozenset(seeded.records[ref].forms) for ref in case.expect.facts)
        self._scripts[seeded.case_id] = Script(moves=case.oracle, facts=forms)
        for case_id in (seeded.case_id, *seeded.siblings):
            self._known[case_id].set()

    async def script(self, case_id: str) -> Script | None:
        """None for a case that has no script, or that nobody handed out in time."""
        try:
            await asyncio.wait_for(self._known[case_id].wait(), self._awaited)
        except TimeoutError:
            return None
        return self._scripts.get(case_id)
