"""Questions to a named colleague: one at a time, answered once and by nobody else; mail only says that one waits."""

from typing import Any

import pytest
from tests.support.desk_inside import Inside, person
from tests.support.mailroom import Mailroom

from deskworld_desk.letters.notices import NOTICES
from deskworld_desk.questions.asking import answer, ask, check_may_ask
from deskworld_desk.timeline.kinds import Actor
from deskworld_desk.world import Refusal
from deskworld_kit.ids import new_id
from deskworld_kit.problems import Problem

TEXT = "Was 10.40 agreed for INV-00734?"
ANNA = person("anna.keller")


async def asked(core: Inside, case_id: str, user: str = "anna.keller") -> str:
    question_id = new_id()
    async with core.desk.dockets.of_case(case_id) as docket:
        case = docket.cases[case_id]
        await check_may_ask(docket, case)
        await ask(
            docket,
            core.desk,
            case,
            question_id=question_id,
            user=user,
            text=TEXT,
            actor=Actor(type="agent", id="tester"),
            turn_id="t",
            cause=case.seq,
        )
    await core.quiet()
    return question_id


async def opened(core: Inside) -> str:
    return str((await core.opened(rules="off"))["exception_id"])


async def waiting(core: Inside, case_id: str) -> list[dict[str, Any]]:
    return [one for one in (await core.view(case_id))["waiting_on"] if one["kind"] == "question"]


async def test_the_person_asked_answers_once_and_the_agent_is_told(core: Inside) -> None:
    case_id = await opened(core)
    question_id = await asked(core, case_id)
    (one,) = await waiting(core, case_id)
    assert (one["id"], one["whom"]["user"]) == (question_id, "anna.keller")
    assert (await core.view(case_id))["state"] == "AWAITING_ANSWER"
    await answer(core.desk, question_id, ANNA, "Yes.")
    await answer(core.desk, question_id, ANNA, "Yes.")
    (answered,) = await core.rows(case_id, "question.answered")
    assert answered["data"]["by"] == {"username": "anna.keller", "sub": "sub-anna.keller"}
    assert (await waiting(core, case_id), (await core.view(case_id))["state"]) == ([], "INVESTIGATING")
    assert (await core.untold(case_id))[-1] == "answered"
    with pytest.raises(Problem, match="QUESTION_CLOSED"):
        await answer(core.desk, question_id, ANNA, "No, I was wrong.")


@pytest.mark.parametrize("username", ["emma.lind", "grace.hall", "ines.vogel", "kira.stone"])
async def test_nobody_else_answers_whatever_their_role(core: Inside, username: str) -> None:
    question_id = await asked(core, await opened(core))
    with pytest.raises(Problem, match="NOT_THE_BUYER"):
        await answer(core.desk, question_id, person(username), "Yes.")


async def test_a_question_that_nobody_asked_is_not_found(core: Inside) -> None:
    with pytest.raises(Problem, match="NOT_FOUND"):
        await answer(core.desk, new_id(), ANNA, "Yes.")


async def test_one_is_open_at_a_time_and_a_case_asks_three_at_most(core: Inside) -> None:
    case_id = await opened(core)
    for number in range(3):
        question_id = await asked(core, case_id)
        with pytest.raises(Refusal) as refused:
            await asked(core, case_id)
        assert refused.value.code == "QUESTION_OPEN"
        await answer(core.desk, question_id, ANNA, f"Yes, {number}.")
    with pytest.raises(Refusal) as refused:
        await asked(core, case_id)
    assert refused.value.code == "QUESTIONS_EXHAUSTED"


async def test_the_database_keeps_a_second_question_out_too(core: Inside) -> None:
    case_id = await opened(core)
    question_id = await asked(core, case_id)
    copy = """INSERT INTO questions (id, case_id, "user", text, state, asked_at, due_at, seq)
              SELECT $1, case_id, "user", text, state, asked_at, due_at, seq FROM questions WHERE id = $2"""
    with pytest.raises(Exception, match="uq_questions_one_open_per_case"):
        await core.sql(copy, new_id(), question_id)


async def test_the_notice_says_that_something_waits_and_nothing_of_what(core: Inside) -> None:
    case_id = await opened(core)
    await asked(core, case_id)
    (sent,) = await core.rows(case_id, "mail.sent")
    assert sent["data"]["to_kind"] == "buyer"
    assert [one["address"] for one in sent["data"]["recipients"]] == ["anna.keller@staff.deskworld.example"]
    (letter,) = await core.sql("SELECT subject, body FROM letters WHERE case_id = $1", case_id)
    assert (letter["subject"].partition(" [AP ")[0], letter["body"]) == NOTICES["question"]
    assert not any(word in letter["subject"] + letter["body"] for word in ("10.40", "INV-00734", case_id, "Muster"))


async def test_a_named_decider_is_told_by_mail_and_a_role_is_not(core: Inside) -> None:
    buyers = (await core.opened())["exception_id"]
    assert (await core.asked(buyers))["user"] == "anna.keller"
    (sent,) = await core.rows(buyers, "mail.sent")
    assert [one["address"] for one in sent["data"]["recipients"]] == ["anna.keller@staff.deskworld.example"]
    (letter,) = await core.sql("SELECT subject, body FROM letters WHERE case_id = $1", buyers)
    assert (letter["subject"].partition(" [AP ")[0], letter["body"]) == NOTICES["decision"]
    assert sent["cause"] == (await core.rows(buyers, "decision.requested"))[0]["seq"]

    await core.decide((await core.asked(buyers))["decision_id"], "anna.keller", "decline", words="No.")
    await core.quiet()
    assert ((await core.asked(buyers))["role"], (await core.asked(buyers))["user"]) == ("clerk", None)
    assert len(await core.rows(buyers, "mail.sent")) == 1


async def test_beyond_three_notices_of_a_case_nobody_is_told_by_mail_and_the_question_stands(core: Inside) -> None:
    case_id, mailroom = await opened(core), Mailroom(core)
    for _ in range(3):
        await mailroom.write(case_id, "anna.keller@staff.deskworld.example", to_kind="buyer")
    await asked(core, case_id)
    assert len(await core.rows(case_id, "mail.sent")) == 3
    assert len(await waiting(core, case_id)) == 1


async def test_a_question_is_withdrawn_when_its_case_is_closed_from_outside(core: Inside) -> None:
    ids = await core.opened(rules="off")
    question_id = await asked(core, ids["exception_id"])
    await core.hear("match-exception.resolved", **ids, cause={"kind": "recheck", "id": "r-1", "decision_id": None})
    assert await waiting(core, ids["exception_id"]) == []
    with pytest.raises(Problem, match="QUESTION_CLOSED"):
        await answer(core.desk, question_id, ANNA, "Yes.")


async def test_an_answer_wakes_a_case_that_is_on_hold(core: Inside) -> None:
    case_id = await opened(core)
    question_id = await asked(core, case_id)
    await Mailroom(core).state(case_id, "ON_HOLD")
    await answer(core.desk, question_id, ANNA, "Yes.")
    assert (await core.view(case_id))["state"] == "INVESTIGATING"
