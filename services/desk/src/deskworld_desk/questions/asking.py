"""Asking a named person, and that person's one answer."""

from datetime import timedelta

from sqlalchemy import func, select

from deskworld_desk.cases.docket import Docket
from deskworld_desk.cases.office_time import office_now
from deskworld_desk.cases.states import WAKES, State
from deskworld_desk.cases.tables import Case
from deskworld_desk.desk import Desk
from deskworld_desk.letters.notices import notify
from deskworld_desk.questions.tables import Question
from deskworld_desk.timeline.kinds import Actor, Person, QuestionAnswered, QuestionAsked
from deskworld_desk.turns import inputs
from deskworld_desk.world import Refusal
from deskworld_kit import clock
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem

QUESTIONS_PER_CASE = 3
OFFICE_DEADLINE = timedelta(days=5)


async def check_may_ask(docket: Docket, case: Case) -> None:
    """Raises Refusal: one question is open at a time, and no case asks more than three."""
    states = await docket.session.execute(
        select(Question.state, func.count()).where(Question.case_id == case.id).group_by(Question.state)
    )
    counted = dict(states.all())
    if counted.get("OPEN"):
        raise Refusal("QUESTION_OPEN", "A question of this case is still open.")
    if sum(counted.values()) >= QUESTIONS_PER_CASE:
        raise Refusal("QUESTIONS_EXHAUSTED", f"A case asks at most {QUESTIONS_PER_CASE} questions.")


async def ask(  # noqa: PLR0913 - who asks whom what, and why
    docket: Docket,
    desk: Desk,
    case: Case,
    *,
    question_id: str,
    user: str,
    text: str,
    actor: Actor,
    turn_id: str,
    cause: int,
) -> Question:
    """The notice that goes out by mail does not say what is asked."""
    now = clock.now()
    question = Question(
        id=question_id,
        case_id=case.id,
        user=user,
        text=text,
        turn_id=turn_id,
        state="OPEN",
        asked_at=now,
        due_at=office_now(case) + OFFICE_DEADLINE,
        answer=None,
        by_sub=None,
    )
    entry = QuestionAsked(question_id=question.id, to=user, text=text, turn_id=turn_id)
    question.seq = docket.write(case, entry, actor, cause)
    docket.session.add(question)
    await notify(docket, desk, case, user, "question", turn_id=turn_id, cause=question.seq)
    if case.state == State.INVESTIGATING:
        docket.move(case, State.AWAITING_ANSWER, f"{user} was asked", question.seq, actor)
    return question


async def answer(desk: Desk, question_id: str, who: Principal, text: str) -> None:
    """Raises Problem 404, 403 NOT_THE_BUYER, 409 QUESTION_CLOSED. The same answer again is no second answer."""
    async with desk.db.transaction() as session:
        case_id = await session.scalar(select(Question.case_id).where(Question.id == question_id))
    if case_id is None:
        raise Problem(404, "NOT_FOUND", f"there is no question {question_id}")
    async with desk.dockets.of_case(case_id) as docket:
        case = docket.cases[case_id]
        question = await docket.session.get_one(Question, question_id)
        if question.user != who.username:
            raise Problem(403, "NOT_THE_BUYER", f"this question is for {question.user}", user=question.user)
        if question.state == "ANSWERED" and question.by_sub == who.subject and question.answer == text:
            return
        if question.state != "OPEN":
            raise Problem(409, "QUESTION_CLOSED", f"this question is {question.state.lower()}", state=question.state)
        question.state, question.answer, question.by_sub = "ANSWERED", text, who.subject
        entry = QuestionAnswered(question_id=question_id, by=Person(username=who.username, sub=who.subject), text=text)
        person = Actor(type="person", id=who.username)
        row = docket.write(case, entry, person, question.seq)
        if case.state in WAKES:
            docket.move(case, State.INVESTIGATING, "answered", row, person)
        inputs.tell(docket, desk, case, inputs.answered(question_id, who.username, text), row)
