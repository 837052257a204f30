"""The loop of an agent: turns side by side, each brought to its end, whatever the agent does in it."""

import asyncio
import logging

import pytest
from tests.support.agent import Office, door_to, fail, ok, problem, queue, take, turn

from deskworld_agent.door import OpenTurn
from deskworld_agent.work import Act, work

DEADLINE = 5.0


async def reads(turn: OpenTurn) -> None:
    await turn.call("get_invoice")


async def test_turns_are_worked_side_by_side() -> None:
    office = Office(tools={"get_invoice": ok()}, turns=queue(*(turn(case_id=f"c-{nth}") for nth in range(6))))
    together = asyncio.Barrier(6)

    async def act(found: OpenTurn) -> None:
        await found.call("get_invoice")
        await together.wait()

    await _worked(office, act, until=6, side_by_side=6)
    assert {end["how"] for end in office.ended} == {"COMPLETED"}
    assert len({end["turn"] for end in office.ended}) == 6


async def test_an_agent_that_fails_ends_its_turn_and_the_next_is_worked(caplog: pytest.LogCaptureFixture) -> None:
    async def act(found: OpenTurn) -> None:
        if found.turn.number == 1:
            raise ZeroDivisionError
        await found.call("get_invoice")

    office = Office(tools={"get_invoice": ok()}, turns=queue(turn(number=1), turn(number=2)))
    with caplog.at_level(logging.CRITICAL, logger="deskworld_agent.work"):
        await _worked(office, act, until=2, side_by_side=1)
    assert [end["how"] for end in office.ended] == ["PROVIDER", "COMPLETED"]


async def test_an_agent_that_gives_up_says_how() -> None:
    async def act(found: OpenTurn) -> None:
        found.how = "TOKEN_LIMIT"

    office = Office()
    await take(office, act, turn())
    assert office.ended[0]["how"] == "TOKEN_LIMIT"


async def test_an_agent_that_never_comes_back_is_ended_as_late() -> None:
    async def act(_: OpenTurn) -> None:
        await asyncio.Event().wait()

    office = Office(turns=queue(turn()))
    await _worked(office, act, until=1, side_by_side=1, turn_seconds=0.05)
    assert office.ended[0]["how"] == "TIMEOUT"


async def test_a_long_turn_keeps_its_lease_with_heartbeats() -> None:
    office = Office()
    done = asyncio.Event()

    async def act(_: OpenTurn) -> None:
        await office.until(lambda: office.beats >= 3)
        done.set()

    await take(office, act, turn(lease=0.03))
    assert done.is_set()
    assert office.ended[0]["how"] == "COMPLETED"


async def test_a_turn_whose_lease_is_lost_is_left_alone() -> None:
    office = Office(lost=True)
    stopped = asyncio.Event()

    async def act(_: OpenTurn) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    await take(office, act, turn(lease=0.03))
    assert stopped.is_set()
    assert office.ended == []


async def test_a_lease_that_is_lost_in_a_call_ends_the_work_on_the_turn() -> None:
    office = Office(lost=True)
    await take(office, reads, turn())
    assert office.ended == []


async def test_a_turn_whose_door_stays_away_is_left_to_its_lease_and_no_provider_is_blamed() -> None:
    office = Office(tools={"get_invoice": ok()}, trouble=queue(*(problem(503, "UNAVAILABLE") for _ in range(40))))
    await take(office, reads, turn())
    assert office.ended == []
    assert len(office.trouble) < 39


async def test_a_failed_tool_is_the_agents_business() -> None:
    office = Office(tools={"get_invoice": fail()})
    await take(office, reads, turn())
    assert office.ended[0]["how"] == "COMPLETED"


async def test_a_door_that_is_down_for_a_while_is_asked_again() -> None:
    office = Office(tools={"get_invoice": ok()}, turns=queue(turn()), trouble=queue(problem(503, "UNAVAILABLE")))
    await _worked(office, reads, until=1, side_by_side=1)
    assert len(office.claims) >= 2


async def test_an_absence_of_the_door_is_told_once_however_many_wait(caplog: pytest.LogCaptureFixture) -> None:
    trouble = queue(*(problem(503, "UNAVAILABLE") for _ in range(12)))
    office = Office(tools={"get_invoice": ok()}, turns=queue(turn()), trouble=trouble)
    await _worked(office, reads, until=1, side_by_side=4)
    told = [record.message for record in caplog.records if "claimed" in record.message]
    assert told[0].startswith("no turn could be claimed: POST /turns/claim: answered 503")
    assert told[1:] == ["turns can be claimed again"]


async def test_work_stops_when_told_to_though_no_turn_comes() -> None:
    office, stop = Office(), asyncio.Event()
    async with door_to(office) as door:
        working = asyncio.create_task(work(door, reads, stop=stop, side_by_side=3))
        stop.set()
        await asyncio.wait_for(working, DEADLINE)


async def _worked(office: Office, act: Act, *, until: int, side_by_side: int, turn_seconds: float = 600) -> None:
    """Works until that many turns were ended."""
    stop = asyncio.Event()
    async with door_to(office) as door:
        loop = work(door, act, stop=stop, side_by_side=side_by_side, turn_seconds=turn_seconds)
        working = asyncio.create_task(loop)
        await office.until(lambda: len(office.ended) >= until)
        stop.set()
        await asyncio.wait_for(working, DEADLINE)
