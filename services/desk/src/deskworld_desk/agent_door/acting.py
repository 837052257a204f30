"""What a call does beyond reading: asks, writes, proposes, keeps, waits."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from deskworld_desk.cases.docket import Docket
from deskworld_desk.cases.states import AT_REST, State
from deskworld_desk.cases.tables import Case
from deskworld_desk.decisions.proposing import ByAgent, open_decision, request_decision
from deskworld_desk.desk import Desk
from deskworld_desk.letters.tables import Letter
from deskworld_desk.letters.writing import LETTERS_PER_CASE, letters_written, queue_letter
from deskworld_desk.questions.asking import ask, check_may_ask
from deskworld_desk.questions.tables import Question
from deskworld_desk.timeline.kinds import Actor, HoldKept
from deskworld_desk.turns.tables import Turn
from deskworld_desk.world import Act, Ask, Failure, Keep, Note, PolicyAnswer, Propose, Refusal, Wait, Write
from deskworld_kit import ids

Carry = Callable[[Docket, Desk, Case, Turn, int], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Planned:
    """`result` is what the agent is told; `carry` does it, caused by the row of the call."""

    result: dict[str, Any]
    carry: Carry


async def check_act(docket: Docket, case: Case, what: Act) -> None:
    """Raises Refusal or Failure when the case, as it stands in this transaction, does not take the act."""
    if isinstance(what, Note):
        return
    if State(case.state) in AT_REST:
        raise Refusal("CASE_AT_REST", f"the case is {case.state}")
    if isinstance(what, Propose):
        if case.state == State.DECIDED:
            raise Refusal("DECISION_IN_FLIGHT", "a decision of this case is being carried out")
        if what.draft.version < case.record_version:
            raise Failure("STALE_READ", "the record changed while this was being proposed: read it again")
    elif isinstance(what, Ask):
        await check_may_ask(docket, case)
    elif isinstance(what, Write):
        if await letters_written(docket, case, "vendor") >= LETTERS_PER_CASE:
            raise Refusal("LETTERS_EXHAUSTED", f"a case writes at most {LETTERS_PER_CASE} letters to the vendor")
    elif isinstance(what, Keep):
        await _check_keep(docket, case)
    elif isinstance(what, Wait) and not await _awaits(docket, case):
        raise Refusal("NOTHING_AWAITED", "no question or letter of this case is waiting for an answer")


async def _check_keep(docket: Docket, case: Case) -> None:
    if not case.held or case.state != State.INVESTIGATING:
        raise Refusal("NOT_HELD", "only a case that was woken from a hold can be put back on it")
    if await open_decision(docket, case) is not None:
        raise Refusal("DECISION_OPEN", "a decision of this case is open")


async def _awaits(docket: Docket, case: Case) -> bool:
    question = await docket.session.scalar(
        select(Question.id).where(Question.case_id == case.id, Question.state == "OPEN").limit(1)
    )
    letter = await docket.session.scalar(
        select(Letter.id)
        .where(Letter.case_id == case.id, Letter.state.in_(("QUEUED", "SENT")), Letter.awaited)
        .limit(1)
    )
    return question is not None or letter is not None


def plan(what: Act, answer: PolicyAnswer) -> Planned | None:
    """What is to be done and what is answered; None for what only reads."""
    planned: Planned | None = None
    match what:
        case Note():
            planned = Planned({"noted": True}, _nothing)
        case Ask():
            planned = _ask(what)
        case Write():
            planned = _write(what)
        case Propose():
            planned = _propose(what, answer)
        case Keep():
            planned = Planned({"state": State.ON_HOLD.value}, _keep(what))
        case Wait():
            planned = Planned({"state": State.AWAITING_ANSWER.value}, _wait)
    return planned


async def _nothing(_docket: Docket, _desk: Desk, _case: Case, _turn: Turn, _row: int) -> None:
    return


def _ask(what: Ask) -> Planned:
    question_id = ids.new_id()

    async def carry(docket: Docket, desk: Desk, case: Case, turn: Turn, row: int) -> None:
        turn.asked = True
        await ask(
            docket,
            desk,
            case,
            question_id=question_id,
            user=what.user,
            text=what.text,
            actor=Actor(type="agent", id=turn.agent),
            turn_id=turn.id,
            cause=row,
        )

    return Planned({"question_id": question_id, "to": what.user}, carry)


def _write(what: Write) -> Planned:
    letter_id = ids.new_id()

    async def carry(docket: Docket, desk: Desk, case: Case, turn: Turn, row: int) -> None:
        turn.asked = True
        queue_letter(docket, desk, case, what.letter, letter_id=letter_id, to_kind="vendor", turn_id=turn.id, cause=row)
        if case.state == State.INVESTIGATING:
            docket.move(case, State.AWAITING_ANSWER, "the vendor was asked", row, Actor(type="agent", id=turn.agent))

    return Planned({"letter_id": letter_id}, carry)


def _propose(what: Propose, answer: PolicyAnswer) -> Planned:
    decision_id = ids.new_id()
    result = {"routed_to": {"role": answer.role, "user": answer.user}, "decision_id": decision_id}

    async def carry(docket: Docket, desk: Desk, case: Case, turn: Turn, row: int) -> None:
        await request_decision(
            docket,
            desk,
            case,
            what.draft,
            answer,
            decision_id=decision_id,
            proposer="agent",
            actor=Actor(type="agent", id=turn.agent),
            turn_id=turn.id,
            agent=ByAgent(turn.agent, turn.model, turn.playbook),
            cause=row,
        )

    return Planned(result, carry)


def _keep(what: Keep) -> Carry:
    async def carry(docket: Docket, _desk: Desk, case: Case, turn: Turn, row: int) -> None:
        actor = Actor(type="agent", id=turn.agent)
        kept = docket.write(case, HoldKept(turn_id=turn.id, reason=what.reason), actor, row)
        docket.move(case, State.ON_HOLD, "the hold is kept", kept, actor)

    return carry


async def _wait(docket: Docket, _desk: Desk, case: Case, turn: Turn, row: int) -> None:
    if case.state == State.INVESTIGATING:
        docket.move(case, State.AWAITING_ANSWER, "an answer is awaited", row, Actor(type="agent", id=turn.agent))
