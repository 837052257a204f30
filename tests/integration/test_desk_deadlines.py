"""Deadlines of the office: three days for a decision, five for an answer; then a person takes the case up."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
from tests.support.desk_inside import Inside, person

from deskworld_desk.background import Alarm
from deskworld_desk.cases.deadlines import move_office_time, resume_deadlines
from deskworld_desk.cases.states import State
from deskworld_desk.letters.writing import queue_letter
from deskworld_desk.questions.asking import answer, ask
from deskworld_desk.timeline.kinds import Actor
from deskworld_desk.world import LetterDraft
from deskworld_kit import chain, clock
from deskworld_kit.ids import new_id
from deskworld_kit.problems import Problem

AGENT = Actor(type="agent", id="tester")
DAY = timedelta(days=1)


async def decision_asked(core: Inside) -> tuple[str, str]:
    case_id = (await core.opened())["exception_id"]
    return case_id, (await core.asked(case_id))["decision_id"]


async def question_asked(core: Inside) -> tuple[str, str]:
    case_id = (await core.opened(rules="off"))["exception_id"]
    question_id = new_id()
    async with core.desk.dockets.of_case(case_id) as docket:
        case = docket.cases[case_id]
        await ask(
            docket, core.desk, case,
            question_id=question_id, user="anna.keller", text="Agreed?", actor=AGENT, turn_id="t", cause=case.seq,
        )  # fmt: skip
    await core.quiet()
    return case_id, question_id


async def letter_sent(core: Inside) -> tuple[str, str]:
    case_id = (await core.opened(rules="off"))["exception_id"]
    async with core.desk.dockets.of_case(case_id) as docket:
        case = docket.cases[case_id]
        draft = LetterDraft(("ap@muster.example",), "Which order?", "Please name it.", {})
        letter = queue_letter(docket, core.desk, case, draft, to_kind="vendor", turn_id="t", cause=case.seq)
        docket.move(case, State.AWAITING_ANSWER, "asked", case.seq)
    await core.quiet()
    return case_id, letter.id


async def ahead(core: Inside, case_id: str, by: timedelta) -> timedelta:
    return await move_office_time(core.desk, case_id, to=None, ahead=by)


Asked = Callable[[Inside], Awaitable[tuple[str, str]]]


@pytest.mark.parametrize(
    ("asked", "what", "days"),
    [(decision_asked, "decision", 3), (question_asked, "question", 5), (letter_sent, "letter", 5)],
)
async def test_who_says_nothing_in_time_is_asked_no_more_and_a_person_takes_the_case_up(
    core: Inside, asked: Asked, what: str, days: int
) -> None:
    case_id, row_id = await asked(core)
    before = (await core.view(case_id))["state"]
    await ahead(core, case_id, days * DAY - timedelta(minutes=1))
    view = await core.view(case_id)
    assert (view["state"], [one["kind"] for one in view["waiting_on"]]) == (before, [what])
    await ahead(core, case_id, days * DAY)
    view, rows = await core.view(case_id), await core.rows(case_id)
    assert (view["state"], view["waiting_on"], view["in_motion"]) == ("NEEDS_PERSON", [], [])
    (passed,) = [row for row in rows if row["kind"] == "deadline.passed"]
    assert (passed["data"]["what"], passed["data"]["id"]) == (what, row_id)
    assert rows[-1]["data"]["to"] == "NEEDS_PERSON"
    assert chain.verify(rows) is None


async def test_a_decision_that_is_overdue_is_withdrawn_and_can_be_made_no_more(core: Inside) -> None:
    case_id, decision_id = await decision_asked(core)
    await ahead(core, case_id, 4 * DAY)
    (withdrawn,) = await core.rows(case_id, "proposal.withdrawn")
    assert (withdrawn["data"]["decision_id"], withdrawn["data"]["why"]) == (decision_id, "expired")
    assert withdrawn["cause"] == (await core.rows(case_id, "deadline.passed"))[0]["seq"]
    with pytest.raises(Problem, match="DECISION_CLOSED"):
        await core.decide(decision_id, "anna.keller")
    assert core.erp.commands.get(decision_id) is None


async def test_an_answer_that_comes_too_late_is_none(core: Inside) -> None:
    case_id, question_id = await question_asked(core)
    await ahead(core, case_id, 5 * DAY)
    with pytest.raises(Problem, match="QUESTION_CLOSED"):
        await answer(core.desk, question_id, person("anna.keller"), "Yes.")


async def test_while_something_else_is_still_awaited_the_case_goes_on_waiting(core: Inside) -> None:
    case_id, _ = await question_asked(core)
    await ahead(core, case_id, 4 * DAY)
    async with core.desk.dockets.of_case(case_id) as docket:
        case = docket.cases[case_id]
        draft = LetterDraft(("ap@muster.example",), "Which order?", "Please name it.", {})
        queue_letter(docket, core.desk, case, draft, to_kind="vendor", turn_id="t", cause=case.seq)
    await core.quiet()
    await ahead(core, case_id, 6 * DAY)
    view = await core.view(case_id)
    assert (view["state"], [one["kind"] for one in view["waiting_on"]]) == ("AWAITING_ANSWER", ["letter"])
    await ahead(core, case_id, 9 * DAY)
    assert (await core.view(case_id))["state"] == "NEEDS_PERSON"


async def test_the_office_time_of_one_case_is_its_own(core: Inside) -> None:
    one, _ = await decision_asked(core)
    other, _ = await decision_asked(core)
    await ahead(core, one, 3 * DAY)
    assert (await core.view(other))["state"] == "AWAITING_DECISION"


async def test_what_is_asked_after_the_clock_was_moved_has_its_whole_time(core: Inside) -> None:
    case_id = (await core.opened(rules="off"))["exception_id"]
    await ahead(core, case_id, 30 * DAY)
    async with core.desk.dockets.of_case(case_id) as docket:
        case = docket.cases[case_id]
        await ask(
            docket, core.desk, case,
            question_id=new_id(), user="anna.keller", text="Agreed?", actor=AGENT, turn_id="t", cause=case.seq,
        )  # fmt: skip
    await ahead(core, case_id, 34 * DAY)
    assert (await core.view(case_id))["state"] == "AWAITING_ANSWER"
    await ahead(core, case_id, 35 * DAY)
    assert (await core.view(case_id))["state"] == "NEEDS_PERSON"


async def test_office_time_never_goes_back(core: Inside) -> None:
    case_id, _ = await decision_asked(core)
    await ahead(core, case_id, 2 * DAY)
    with pytest.raises(Problem, match="does not go back"):
        await ahead(core, case_id, DAY)
    with pytest.raises(Problem, match="at most"):
        await ahead(core, case_id, 5000 * DAY)
    with pytest.raises(Problem, match="NOT_FOUND"):
        await ahead(core, new_id(), DAY)
    moved = await move_office_time(core.desk, case_id, to=clock.now() + 2.5 * DAY, ahead=None)
    assert timedelta(hours=59) < moved <= 2.5 * DAY


async def test_a_deadline_that_passed_while_the_desk_was_down_has_passed_when_it_is_back(core: Inside) -> None:
    case_id, decision_id = await decision_asked(core)
    await core.sql("UPDATE decisions SET due_at = now() - interval '1 minute' WHERE id = $1", decision_id)
    await resume_deadlines(core.desk)
    await core.quiet()
    assert (await core.view(case_id))["state"] == "NEEDS_PERSON"


class Rung(Alarm):
    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float] = []

    def set(self, seconds: float, look: Callable[[], None]) -> None:
        self.seconds.append(seconds)


async def test_the_alarm_rings_for_the_next_deadline_and_often_enough_for_what_is_asked_meanwhile(core: Inside) -> None:
    case_id, _ = await decision_asked(core)
    await ahead(core, case_id, 3 * DAY - timedelta(minutes=10))
    alarm: Any = Rung()
    object.__setattr__(core.desk, "alarm", alarm)
    await resume_deadlines(core.desk)
    await core.quiet()
    assert 590 < alarm.seconds[-1] <= 600
    await ahead(core, case_id, 3 * DAY)
    await core.quiet()
    assert 600 < alarm.seconds[-1] <= 1.5 * DAY.total_seconds()
