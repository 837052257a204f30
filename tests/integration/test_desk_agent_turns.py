"""Turns in a desk of their own: who gets one, what a lost lease, a pause and a spent budget lead to."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update
from tests.support.agents_desk import AgentsDesk, agents_desk

from deskworld_desk.agent_door.toolset import Own
from deskworld_desk.agent_door.wire import End, ToolCall, Usage
from deskworld_desk.cases.exits import note_case
from deskworld_desk.questions.asking import answer
from deskworld_desk.turns.budgets import INPUT_TOKENS_PER_CASE, TURNS_PER_CASE, budget_of, raise_budget
from deskworld_desk.turns.claiming import Claimed, Client, claim
from deskworld_desk.turns.inputs import untold_cases
from deskworld_desk.turns.pausing import pause_agents, pauses, resume_agents
from deskworld_desk.turns.tables import Turn
from deskworld_kit import clock
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem

INES = Principal("sub-ines", "ines.vogel", "harness", frozenset({"controller"}))
GRACE = Principal("sub-grace", "grace.hall", "harness", frozenset({"ap-manager"}))
NAME = "agents_turns"


@pytest.fixture
async def office(erp_postgres: Path, request: pytest.FixtureRequest) -> AsyncIterator[AgentsDesk]:
    async with agents_desk(erp_postgres, f"{NAME}_{abs(hash(request.node.name))}") as running:
        yield running


async def take(office: AgentsDesk, *, wait: float = 20.0, lease: float = 30.0, agent: str = "tester") -> Claimed | None:
    never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    return await claim(office.desk, Client(agent, "agent", timedelta(seconds=lease)), wait=wait, gone=never)


async def taken(office: AgentsDesk, **how: Any) -> Claimed:
    claimed = await take(office, **how)
    assert claimed is not None
    return claimed


async def call(office: AgentsDesk, turn: Claimed, tool: str, call_id: str = "c", **args: Any) -> dict[str, Any]:
    return await office.toolset.call(Own(turn.turn_id, turn.case_id), ToolCall(call_id=call_id, tool=tool, args=args))


async def end(office: AgentsDesk, turn: Claimed, *usage: Usage) -> str:
    return await office.toolset.end(Own(turn.turn_id, turn.case_id), End(usage=list(usage)))


async def hows(office: AgentsDesk, case_id: str) -> list[str]:
    return [row["data"]["how"] for row in await office.rows(case_id, "turn.ended")]


async def test_of_many_clients_that_claim_at_once_each_gets_a_case_of_its_own_oldest_first(office: AgentsDesk) -> None:
    cases = [await office.open_case() for _ in range(12)]
    turns = [await taken(office) for _ in range(6)]
    assert [turn.case_id for turn in turns] == cases[:6]
    turns += [turn for turn in await asyncio.gather(*(take(office, wait=0) for _ in range(9))) if turn is not None]
    assert sorted(turn.case_id for turn in turns) == sorted(cases)
    for case_id in cases:
        assert len(await office.rows(case_id, "turn.started")) == 1


async def test_clients_that_wait_are_served_in_the_order_in_which_they_came(office: AgentsDesk) -> None:
    waiting = [asyncio.create_task(take(office, agent=f"client-{number}")) for number in range(3)]
    await office.until_clients(3)
    cases = [await office.open_case() for _ in range(3)]
    turns = [turn for turn in await asyncio.gather(*waiting) if turn is not None]
    assert [turn.case_id for turn in turns] == cases


async def test_a_client_that_went_away_while_its_turn_began_leaves_it_to_the_next(office: AgentsDesk) -> None:
    case_id = await office.open_case()
    gone = asyncio.create_task(take(office))
    async with office.desk.dockets.of_case(case_id):  # the case is busy: the turn cannot begin yet
        await asyncio.wait([gone], timeout=0.1)  # time to begin; whether it has is not what matters
        gone.cancel()
        await asyncio.wait([gone])
    turn = await taken(office)
    assert (turn.case_id, turn.number) == (case_id, 1)
    assert [row["data"]["attempt"] for row in await office.rows(case_id, "turn.started")] == [1, 2]
    assert await hows(office, case_id) == ["LEASE_LOST"]


async def test_a_lease_lost_three_times_leaves_the_case_to_a_person(office: AgentsDesk) -> None:
    case_id = await office.open_case()
    turns = [await taken(office, lease=0.05) for _ in range(3)]
    await office.until_state(case_id, "NEEDS_PERSON")
    assert {turn.number for turn in turns} == {1}
    assert [turn.inputs for turn in turns] == [turns[0].inputs] * 3
    assert await hows(office, case_id) == ["LEASE_LOST"] * 3
    assert (await office.rows(case_id, "case.moved"))[-1]["data"]["why"] == "the lease was lost 3 times"
    assert await take(office, wait=0) is None
    assert len({turn.token for turn in turns}) == 3
    with pytest.raises(Problem, match="LEASE_LOST"):
        await office.toolset.own(turns[0].token)


async def test_a_call_is_a_sign_of_life_as_a_heartbeat_is(office: AgentsDesk) -> None:
    case_id = await office.open_case()
    turn = await taken(office, lease=1.0)
    for number in range(4):
        await clock.pause(0.4)
        if number % 2:
            await office.toolset.beat(Own(turn.turn_id, case_id))
        else:
            assert (await call(office, turn, "look_at_shelf", f"c-{number}"))["outcome"] == "OK"
    assert await hows(office, case_id) == []
    assert await end(office, turn) == "EMPTY"


async def test_what_comes_to_pass_in_the_middle_of_a_turn_is_not_held_against_it(office: AgentsDesk) -> None:
    """Told of a note while the case waited for an answer, it had nothing to do; the answer is told to the next."""
    case_id = await office.open_case()
    asking = await taken(office)
    asked = await call(office, asking, "ask_keeper", question="Well?")
    await end(office, asking)
    anna = Principal("sub-anna", "anna.keller", "harness", frozenset({"buyer"}))
    await note_case(office.desk, case_id, anna, "I am looking.")
    told_of_the_note = await taken(office)
    await answer(office.desk, asked["result"]["question_id"], anna, "Three.")
    assert (await office.case(case_id)).state == "INVESTIGATING"
    assert await end(office, told_of_the_note) == "COMPLETED"
    told_of_the_answer = await taken(office)
    assert [one["type"] for one in told_of_the_answer.inputs] == ["answered"]
    assert await end(office, told_of_the_answer) == "EMPTY"
    assert (await office.case(case_id)).state == "NEEDS_PERSON"


async def test_a_turn_lives_no_longer_than_its_token(office: AgentsDesk) -> None:
    case_id = await office.open_case()
    turn = await taken(office)
    soon = clock.now() + timedelta(seconds=0.3)
    async with office.desk.db.transaction() as session:
        await session.execute(update(Turn).where(Turn.id == turn.turn_id).values(token_until=soon))
    await office.toolset.beat(Own(turn.turn_id, case_id))
    again = await taken(office)
    assert (again.case_id, again.number) == (case_id, 1)
    with pytest.raises(Problem, match="LEASE_LOST"):
        await office.toolset.own(turn.token)
    assert clock.now() > soon


async def test_while_agents_are_paused_nobody_gets_a_turn_and_then_the_oldest_comes_first(office: AgentsDesk) -> None:
    await office.open_case()
    waiting = [asyncio.create_task(take(office, agent=f"client-{number}")) for number in range(2)]
    await asyncio.wait(waiting[:1])
    await office.until_clients(1)
    await pause_agents(office.desk, INES, "something is odd")
    later = [await office.open_case() for _ in range(3)]
    assert await take(office, wait=0.1) is None
    async with office.desk.db.transaction() as session:
        assert await untold_cases(session) == later
        (pause,) = await pauses(session)
    assert (pause["paused_by"]["username"], pause["reason"]) == ("ines.vogel", "something is odd")
    assert (office.desk.turnstile.clients, waiting[1].done()) == (1, False)
    assert await resume_agents(office.desk, INES) == 3
    told = await waiting[1]
    assert told is not None
    assert [told.case_id, *[(await taken(office)).case_id for _ in range(2)]] == later


async def test_what_a_paused_turn_was_told_is_told_again_and_no_person_is_troubled(office: AgentsDesk) -> None:
    case_id = await office.open_case()
    turn = await taken(office)
    await pause_agents(office.desk, INES, "stop")
    for tool, args in (("look_at_shelf", {}), ("ask_keeper", {"question": "Well?"})):
        refused = await call(office, turn, tool, tool, **args)
        assert (refused["outcome"], refused["code"]) == ("REFUSED", "AGENTS_PAUSED")
    assert office.shelves.looks == 0
    assert await end(office, turn) == "INVALID"
    assert (await office.case(case_id)).state == "INVESTIGATING"
    await resume_agents(office.desk, INES)
    again = await taken(office)
    assert (again.case_id, again.inputs) == (case_id, turn.inputs)
    assert (await call(office, again, "ask_keeper", question="Well?"))["outcome"] == "OK"
    assert await end(office, again) == "COMPLETED"
    assert (await office.case(case_id)).state == "AWAITING_ANSWER"


async def test_a_move_that_was_under_way_when_agents_were_paused_is_not_made(office: AgentsDesk) -> None:
    case_id = await office.open_case()
    turn = await taken(office)
    office.shelves.looking.clear()
    looking = asyncio.create_task(call(office, turn, "look_at_shelf", "look"))
    asking = asyncio.create_task(call(office, turn, "ask_keeper", "ask", question="Well?"))
    await asyncio.wait([looking, asking], timeout=0.1)
    await pause_agents(office.desk, INES, "stop")
    office.shelves.looking.set()
    assert [(await looking)["code"], (await asking)["code"]] == ["AGENTS_PAUSED", "AGENTS_PAUSED"]
    assert await office.rows(case_id, "question.asked") == []


async def test_a_pause_outlasts_the_desk(erp_postgres: Path) -> None:
    name = f"{NAME}_restart"
    async with agents_desk(erp_postgres, name) as before:
        await pause_agents(before.desk, INES, "for the night")
        cases = [await before.open_case() for _ in range(2)]
    async with agents_desk(erp_postgres, name, fresh=False) as after:
        assert await take(after, wait=0.05) is None
        await resume_agents(after.desk, INES)
        assert [(await taken(after)).case_id for _ in range(2)] == cases


async def test_controllers_alone_pause_agents_and_raise_budgets(office: AgentsDesk) -> None:
    case_id = await office.open_case()
    with pytest.raises(Problem, match="NOT_AUTHORISED"):
        await pause_agents(office.desk, GRACE, "x")
    with pytest.raises(Problem, match="NOT_PAUSED"):
        await resume_agents(office.desk, INES)
    with pytest.raises(Problem, match="NOT_AUTHORISED"):
        await raise_budget(office.desk, case_id, GRACE, turns=20, input_tokens=300_000, reason="x")
    await pause_agents(office.desk, INES, "x")
    with pytest.raises(Problem, match="AGENTS_PAUSED"):
        await pause_agents(office.desk, INES, "again")
    with pytest.raises(Problem, match="NOT_AUTHORISED"):
        await resume_agents(office.desk, GRACE)


async def test_a_case_whose_tokens_are_spent_is_a_persons_until_a_controller_raises_its_budget(
    office: AgentsDesk,
) -> None:
    case_id = await office.open_case()
    turn = await taken(office)
    asked = await call(office, turn, "ask_keeper", question="Well?")
    await end(office, turn, Usage(model="big", input=INPUT_TOKENS_PER_CASE), Usage(model="silent", output=3))
    anna = Principal("sub-anna", "anna.keller", "harness", frozenset({"buyer"}))
    await answer(office.desk, asked["result"]["question_id"], anna, "Three.")
    assert await take(office, wait=0.1) is None
    assert (await office.case(case_id)).state == "NEEDS_PERSON"
    async with office.desk.db.transaction() as session:
        spent = await budget_of(session, await office.case(case_id))
    assert (spent.spent, spent.turns_used, spent.input_tokens_used) == (True, 1, INPUT_TOKENS_PER_CASE)
    with pytest.raises(Problem, match="input_tokens"):
        await raise_budget(office.desk, case_id, INES, turns=TURNS_PER_CASE, input_tokens=1, reason="x")
    raised = await raise_budget(office.desk, case_id, INES, turns=14, input_tokens=400_000, reason="it is worth it")
    assert not raised.spent
    (noted,) = await office.rows(case_id, "person.noted")
    assert "it is worth it" in noted["data"]["text"]
    async with office.desk.db.transaction() as session:
        assert await budget_of(session, await office.case(case_id)) == raised


async def test_a_count_that_was_not_reported_stays_absent(office: AgentsDesk) -> None:
    case_id = await office.open_case()
    turn = await taken(office)
    await end(office, turn, Usage(model="a", input=0, cache_read=7), Usage(model="b"))
    (row,) = await office.rows(case_id, "turn.ended")
    assert row["data"]["usage"] == [{"model": "a", "input": 0, "cache_read": 7}, {"model": "b"}]
    assert row["data"]["labels"] == ["rules-stopped:NO_PO:disabled"]
