"""Whole histories: cases of a desk, the script's people, and what of it all has reached the harness so far.

Everything takes its time and overtakes everything else, but for the desk's stream, which is in order: transactions,
people's moves on their way to a door, answers of doors, letters out and back, a desk that is killed in between.
"""

import random
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from tests.support.desk_histories.cases import CaseHistory

from deskworld.people import script
from deskworld.values.case import Case, Seeded
from deskworld.values.record import MailSeen, Move, View
from deskworld.world import Seen
from deskworld_desk.cases.states import State

Do = Callable[[], Any]
REFUSED = frozenset({"DECISION_CLOSED", "QUESTION_CLOSED"})


@dataclass(frozen=True, slots=True)
class Moment:
    """What the harness knows. The rest is asked only of what is called settled: what is really still going on."""

    seen: Seen
    moves_on: Do
    """Whether something can still happen: by the desk, by the script, or on its way."""
    in_flight: bool
    """A move that was made has not reached the desk."""
    at_an_end: Do
    last: bool
    """Nothing at all is left that could happen."""


class History:
    def __init__(self, case: Case, seed: int) -> None:
        self.rng = random.Random(f"settle:{case.scenario}:{seed}")
        self._count = 0
        self._stream: deque[Mapping[str, Any] | View] = deque()
        self._way: list[tuple[Move, Do]] = []
        self._answers: list[Move] = []
        self._letters: list[str] = []
        self._case_ids = ["case-1", *(["case-2"] if self.rng.random() < 0.3 else [])]
        self._vendor = case.script["vendor"].identity
        self.cases = {id_: self._new_case(id_, case) for id_ in self._case_ids}
        self._unopened = list(self._case_ids)
        seeded = Seeded(records={}, exceptions=(), case_id="case-1", siblings=tuple(self._case_ids[1:]))
        self.seen = Seen(case=case, seeded=seeded)
        self._known_due: tuple[Seen | None, tuple[Move, ...]] = (None, ())

    def moments(self, most: int = 400) -> Iterator[Moment]:
        """After everything that happens, what the harness could ask itself whether it is settled."""
        for _ in range(most):
            steps = self._steps()
            yield Moment(self.seen, self._moves_on, bool(self._way), self._at_an_end, last=not steps)
            if not steps:
                return
            self.rng.choice(steps)()
        raise AssertionError(f"a history that does not end: {self.seen.case.scenario}")

    def _new_case(self, id_: str, case: Case) -> CaseHistory:
        made = CaseHistory(
            id=id_,
            buyer=case.script["buyer"].identity,
            vendor=self._vendor,
            rng=self.rng,
            new=self._new,
            publish=self._stream.append,
            send=self._letters.append,
        )
        made.forgetful = self.rng.random() < 0.1
        return made

    def _new(self, what: str) -> str:
        self._count += 1
        return f"{what}-{self._count}"

    def _at_an_end(self) -> bool:
        own = self.cases["case-1"]
        return own.state in {State.RESOLVED, State.ON_HOLD, State.NEEDS_PERSON} or bool(own.view().waiting_on)

    def _steps(self) -> list[Do]:
        steps: list[Do] = [partial(self._open, one) for one in self._unopened[:1]]
        for id_, case in self.cases.items():
            if id_ not in self._unopened:
                steps += [partial(self._transact, case, do) for do in case.possible()]
        if self._stream:
            steps.append(self._hear)
        steps += [partial(self._arrive, one) for one in self._way]
        steps += [partial(self._hear_answer, one) for one in self._answers]
        steps += [partial(self._deliver, one) for one in self._letters]
        if self._due():
            steps.append(self._make_moves)
        return steps

    def _moves_on(self) -> bool:
        """A door's answer that is still on its way moves no case, nor does a letter to somebody who will not answer."""
        quiet = len(self._answers) + len(self._letters)
        if len(self._steps()) > quiet:
            return True
        mail = tuple(self._mail(one) for one in self._letters)
        return bool(script.due(replace(self.seen, mail=(*self.seen.mail, *mail))))

    def _mail(self, message: str) -> MailSeen:
        return MailSeen(message_id=message, recipient=self._vendor, in_reply_to=None, subject="s", digest="0")

    def _due(self) -> tuple[Move, ...]:
        if self._known_due[0] is not self.seen:
            self._known_due = (self.seen, script.due(self.seen))
        return self._known_due[1]

    # -- the desk

    def _open(self, id_: str) -> None:
        self._unopened.remove(id_)
        self._transact(self.cases[id_], self.cases[id_].opened)

    def _transact(self, case: CaseHistory, do: Do) -> None:
        do()
        self._stream.append(case.view())

    def _hear(self) -> None:
        told = self._stream.popleft()
        if isinstance(told, View):
            self.seen = replace(self.seen, views={**self.seen.views, told.case_id: told})
        else:
            self.seen = replace(self.seen, rows=(*self.seen.rows, told))

    # -- the script's people

    def _make_moves(self) -> None:
        for move in self._due():
            self.seen = replace(self.seen, moves=(*self.seen.moves, move))
            self._way.append((move, partial(self._reach, move)))

    def _arrive(self, one: tuple[Move, Do]) -> None:
        self._way.remove(one)
        one[1]()

    def _reach(self, move: Move) -> None:
        """The move is at its door. Its answer sets out for the harness, behind or before the rows."""
        case = next((one for one in self.cases.values() if move.row in {*one.questions, *one.decisions}), None)
        if move.kind == "answer" and case is not None:
            done = case.answered(move.row)
        elif move.kind == "decision" and case is not None:
            done = case.decided(move.row, str(move.verdict))
        else:
            self._reach_from_outside(move)
            return
        if done not in REFUSED:
            self._stream.append(case.view())
        self._answers.append(move.model_copy(update={"done": done, "refused": done in REFUSED}))

    def _reach_from_outside(self, move: Move) -> None:
        own = self.cases["case-1"]
        if move.kind == "mail":
            if move.answers is None:
                self._stream.append(
                    {"case_id": None, "seq": 1, "kind": "mail.set-aside", "data": {"message_id": move.row}}
                )
            else:
                self._transact(self._writer(move.answers), lambda: self._writer_came(move))
            self._answers.append(move.model_copy(update={"done": "handed in"}))
        elif move.kind == "goods":
            receipt = self._new("receipt")
            self._transact(own, lambda: own.goods_came(receipt))
            self._answers.append(move.model_copy(update={"row": receipt, "done": "posted"}))
        else:
            self._transact(own, lambda: own.write("event.ignored", event_id="opening") and None)
            self._answers.append(move.model_copy(update={"row": "opening", "done": "sent again"}))

    def _writer(self, letter: MailSeen) -> CaseHistory:
        sent = [row for row in self.seen.rows if row["kind"] == "mail.sent"]
        found = [row["case_id"] for row in sent if row["data"]["message_id"] == letter.message_id]
        return self.cases[found[0] if found else "case-1"]

    def _writer_came(self, move: Move) -> None:
        assert move.answers is not None
        self._writer(move.answers).mail_came(move.row)

    def _hear_answer(self, made: Move) -> None:
        self._answers.remove(made)
        moves = tuple(made if one.key == made.key else one for one in self.seen.moves)
        self.seen = replace(self.seen, moves=moves)

    def _deliver(self, message: str) -> None:
        self._letters.remove(message)
        self.seen = replace(self.seen, mail=(*self.seen.mail, self._mail(message)))
