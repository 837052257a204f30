"""One case of a made-up desk: its state, its open rows, and the transactions that are possible now.

The transitions are the desk's own table, and what is in motion or waited on is computed by the desk's own functions.
What is decided here is only which of the possible things happens next.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from deskworld.values.record import View
from deskworld_desk.cases.matters import OpenRow, Table, in_motion, waiting_on
from deskworld_desk.cases.states import AT_REST, WAKES, State, check_transition

SINCE = datetime(2026, 3, 2, tzinfo=UTC)
ACTIONS = ("approve-variance", "hold", "reject", "request-credit-memo")
HOLDS = frozenset({"hold", "request-credit-memo"})
MAY_PROPOSE = frozenset({State.INVESTIGATING, State.AWAITING_ANSWER, State.AWAITING_DECISION, State.ON_HOLD})
MOST_TURNS = 3
Json = dict[str, Any]
Do = Callable[[], None]


@dataclass
class Decision:
    id: str
    action: str
    user: str


@dataclass
class CaseHistory:
    """`told` is everything that was published, in order: a row, or the view after a transaction's rows."""

    id: str
    buyer: str
    vendor: str
    rng: random.Random
    new: Callable[[str], str]
    publish: Callable[[Mapping[str, Any] | View], None]
    send: Callable[[str], None]
    """A letter left for the vendor: its Message-ID."""

    state: State = State.INVESTIGATING
    seq: int = 0
    open: dict[tuple[Table, str], OpenRow] = field(default_factory=dict)
    decisions: dict[str, Decision] = field(default_factory=dict)
    questions: dict[str, str] = field(default_factory=dict)
    turns: int = 0
    forgetful: bool = False
    """A desk that loses an input: the case stands still where it is, and nobody is asked."""

    def write(self, kind: str, **data: Any) -> int:
        self.seq += 1
        self.publish({"case_id": self.id, "seq": self.seq, "kind": kind, "data": data})
        return self.seq

    def move(self, to: State) -> None:
        if to != self.state:
            check_transition(self.state, to)
            self.write("case.moved", **{"from": self.state.value, "to": to.value, "why": "so it goes"})
            self.state = to

    def row(self, table: Table, id_: str, state: str, **whom: str | None) -> None:
        self.open[table, id_] = OpenRow(self.id, table, id_, state, SINCE, **whom)

    def become(self, table: Table, id_: str, state: str) -> None:
        self.open[table, id_] = replace(self.open[table, id_], state=state)

    def close(self, table: Table, id_: str) -> None:
        del self.open[table, id_]

    def of(self, table: Table, *states: str) -> list[str]:
        return [id_ for (kind, id_), row in self.open.items() if kind == table and (not states or row.state in states)]

    def view(self) -> View:
        rows = tuple(self.open.values())
        moving = tuple({"kind": one.kind, "id": one.id} for one in in_motion(self.state, rows))
        waits = tuple({"kind": one.kind, "id": one.id} for one in waiting_on(rows))
        return View(case_id=self.id, reason="R", state=self.state, seq=self.seq, in_motion=moving, waiting_on=waits)

    # -- what the desk does by itself: one transaction each

    def possible(self) -> list[Do]:
        """Everything that can happen without anybody outside doing anything."""
        steps: list[Do] = []
        steps += [partial(self._event, one) for one in self.of("event")]
        steps += [partial(self._rules, one) for one in self.of("rules")]
        steps += [partial(self._sent, one) for one in self.of("letter", "QUEUED")]
        steps += [partial(self._read, one) for one in self.of("mail")]
        steps += [partial(self._carried_out, one) for one in self.of("decision", "MADE")]
        steps += [partial(self._echo, one) for one in self.of("decision", "UNECHOED")]
        if self.of("turn"):
            steps.append(self._turn)
        elif self.of("input") and self.state not in AT_REST and self.state != State.DECIDED:
            steps.append(self._claimed)
        return steps

    def opened(self) -> None:
        self.write("case.opened", vendor_id="v")
        self.row("rules", self.new("rules"), "DUE")

    def _event(self, id_: str) -> None:
        """Goods came: a hold is woken, elsewhere it is noted. The row stands there since it was accepted."""
        self.close("event", id_)
        if self.state == State.ON_HOLD:
            self.move(State.INVESTIGATING)
            self._tell()

    def _rules(self, id_: str) -> None:
        self.close("rules", id_)
        outcome = self.rng.choice(("propose", "ask", "stop"))
        self.write("rules.ran", outcome=outcome)
        if self.state != State.INVESTIGATING:
            return
        if outcome == "propose":
            self._propose()
        elif outcome == "ask":
            self._letter()
            self.move(State.AWAITING_ANSWER)
        else:
            self._tell()

    def _claimed(self) -> None:
        for id_ in self.of("input"):
            self.close("input", id_)
        self.turns += 1
        self.row("turn", self.new("turn"), "RUNNING")
        self.write("turn.started")

    def _turn(self) -> None:
        """The agent makes a move, or its turn ends."""
        [turn] = self.of("turn")
        last = self.turns >= MOST_TURNS
        made = self.rng.choice(("propose", "ask", "write", "wait", "end", "end"))
        if self.state not in MAY_PROPOSE or last:
            made = "end"
        if made == "propose":
            self._propose()
        elif made == "ask" and self.state == State.INVESTIGATING and not self.of("question"):
            question = self.new("question")
            self.questions[question] = self.buyer
            self.row("question", question, "OPEN", user=self.buyer)
            self.write("question.asked", question_id=question, to=self.buyer, text="?")
            self.move(State.AWAITING_ANSWER)
        elif made == "write" and self.state == State.INVESTIGATING:
            self._letter()
            self.move(State.AWAITING_ANSWER)
        elif made == "wait" and self.state == State.INVESTIGATING and (self.of("question") or self.of("letter")):
            self.move(State.AWAITING_ANSWER)
        else:
            self.close("turn", turn)
            self.write("turn.ended")
            if self.state == State.INVESTIGATING and not self.of("input") and not self.of("rules"):
                self._left_over()

    def _left_over(self) -> None:
        if self.forgetful:
            return
        self.move(State.NEEDS_PERSON)

    def _tell(self) -> None:
        if not self.forgetful or self.rng.random() < 0.5:
            self.row("input", self.new("input"), "UNTOLD")

    def _letter(self) -> None:
        self.row("letter", self.new("letter"), "QUEUED", address=self.vendor)

    def _sent(self, id_: str) -> None:
        """Most are taken by the other side's server; one that is not is told."""
        taken = self.rng.random() < 0.9
        message = f"<{id_}@desk>"
        recipients = [{"address": self.vendor, "outcome": "accepted" if taken else "refused", "detail": ""}]
        self.write("mail.sent", letter_id=id_, message_id=message, recipients=recipients)
        if taken:
            self.become("letter", id_, "AWAITED")
            self.send(message)
            return
        self.close("letter", id_)
        if self.state == State.AWAITING_ANSWER and not self.of("question") and not self.of("letter"):
            self.move(State.INVESTIGATING)
            self._tell()

    def _read(self, id_: str) -> None:
        """Stored, joined, read and told; what nobody waits for is told and changes no state."""
        if self.open["mail", id_].state == "STORED":
            self.become("mail", id_, "JOINED")
            self.write("reading.made", mail_id=id_)
            return
        self.close("mail", id_)
        self.write("person.noted", text="the reading is told")
        if self.state in WAKES:
            self.move(State.INVESTIGATING)
        if self.state != State.RESOLVED:
            self._tell()

    def _propose(self) -> None:
        for one in self.of("decision", "OPEN", "NEEDS_DECIDER"):
            self.close("decision", one)
            self.write("proposal.withdrawn", decision_id=one)
        decision = Decision(self.new("decision"), self.rng.choice(ACTIONS), self.rng.choice((self.buyer, "")))
        self.decisions[decision.id] = decision
        self.row("decision", decision.id, "OPEN", role="clerk", user=decision.user or None)
        role = None if decision.user else "clerk"
        self.write(
            "decision.requested",
            decision_id=decision.id,
            role=role or "buyer",
            user=decision.user or None,
            action=decision.action,
        )
        self.move(State.AWAITING_DECISION)

    def _carried_out(self, id_: str) -> None:
        """The command is applied, refused, or found to be missing after a restart."""
        how = self.rng.choice(("applied", "applied", "applied", "refused", "restart"))
        action = self.decisions[id_].action
        if how == "restart":
            self.become("decision", id_, "NEEDS_DECIDER")
            self.write("decision.needs-decider", decision_id=id_)
        elif how == "refused":
            self.close("decision", id_)
            self.write("command.refused", decision_id=id_, action=action)
            self.move(State.INVESTIGATING)
            self._tell()
        else:
            self.become("decision", id_, "UNECHOED")
            self.write("command.applied", decision_id=id_, action=action)
            if action in HOLDS:
                self.move(State.ON_HOLD)

    def _echo(self, id_: str) -> None:
        self.close("decision", id_)
        self.write("event.received", event_cause={"kind": "command", "id": id_, "decision_id": id_})
        if self.decisions[id_].action not in HOLDS:
            self.move(State.RESOLVED)
            for table in ("question", "letter", "input"):
                for one in self.of(table):
                    self.close(table, one)

    # -- what people do, as it reaches the desk: the door's answer

    def answered(self, question: str) -> str:
        if ("question", question) not in self.open:
            return "QUESTION_CLOSED"
        self.close("question", question)
        self.write("question.answered", question_id=question)
        if self.state in WAKES:
            self.move(State.INVESTIGATING)
        if self.state != State.RESOLVED:
            self._tell()
        return "answered"

    def decided(self, decision: str, verdict: str) -> str:
        row = self.open.get(("decision", decision))
        if row is None or row.state not in {"OPEN", "NEEDS_DECIDER"}:
            return "DECISION_CLOSED"
        self.write("decision.made", decision_id=decision, verdict=verdict)
        if verdict == "decline":
            self.close("decision", decision)
            self.move(State.INVESTIGATING)
            self._tell()
            return "declined"
        self.become("decision", decision, "MADE")
        self.move(State.DECIDED)
        return "made"

    def mail_came(self, message: str) -> None:
        for one in self.of("letter", "AWAITED")[:1]:
            self.close("letter", one)
        self.row("mail", message, "STORED")
        self.write("mail.received", message_id=message, mail_id=message)

    def goods_came(self, receipt: str) -> None:
        self.row("event", f"event-{receipt}", "ACCEPTED")
        self.write("event.received", event_cause={"kind": "receipt", "id": receipt, "decision_id": None})
