"""What the agent remembers of a case between its turns. Forgetting it makes the agent more careful, never less."""

from collections import OrderedDict
from dataclasses import dataclass, field

from deskworld_agent.playbook.moves import Propose

CASES_REMEMBERED = 4096


@dataclass(frozen=True, slots=True)
class Notes:
    """`asked` says what the last question was about, `order_named` which order; `proposed` waits for its decision."""

    letters: int = 0
    asked: str | None = None
    order_named: str | None = None
    instructed: bool = False
    proposed: Propose | None = None
    refused: frozenset[str] = field(default_factory=frozenset)


class Memory:
    def __init__(self, cases: int = CASES_REMEMBERED) -> None:
        self._cases = cases
        self._notes: OrderedDict[str, Notes] = OrderedDict()

    def of(self, case_id: str) -> Notes:
        return self._notes.get(case_id, Notes())

    def keep(self, case_id: str, notes: Notes) -> None:
        self._notes[case_id] = notes
        self._notes.move_to_end(case_id)
        while len(self._notes) > self._cases:
            self._notes.popitem(last=False)
