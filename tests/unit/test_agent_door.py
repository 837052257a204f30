"""The client of the agent door: tokens, turns, calls, and what it does when the door is unwell."""

import pytest
from starlette.responses import JSONResponse
from tests.support.agent import Office, door_to, fail, in_turn, ok, problem, queue, refuse, turn

from deskworld_agent.door import OpenTurn
from deskworld_agent.errors import DoorFailed, LeaseLost
from deskworld_agent.playbook import digest


async def claimed(office: Office) -> OpenTurn:
    async with door_to(office) as door:
        found = await door.claim()
    assert found is not None
    return found


async def test_a_turn_is_claimed_with_the_accounts_token_and_worked_with_its_own() -> None:
    office = Office(tools={"get_invoice": ok({"id": "i-1"}, "i-1")}, turns=queue(turn()))
    async with door_to(office) as door:
        found = await door.claim(wait=7)
        assert found is not None
        answer = await found.call("get_invoice")
        assert await found.end() == "COMPLETED"
    assert office.claims == [{"by": "Bearer account-1", "agent": "tester", "wait": 7}]
    assert office.calls[0]["by"] == "Bearer token-1"
    assert (answer.ok, answer.result, answer.ids) == (True, {"id": "i-1"}, ("i-1",))
    assert office.ended == [{"turn": found.turn.turn_id, "how": "COMPLETED", "usage": []}]


async def test_what_an_agent_says_of_itself_goes_with_each_claim() -> None:
    office = Office(turns=queue(turn()))
    async with door_to(office, model="openai:gpt-5", playbook=digest()) as door:
        await door.claim(wait=7)
    assert (office.claims[0]["model"], office.claims[0]["playbook"]) == ("openai:gpt-5", digest())
    assert len(digest()) == 64


async def test_no_turn_is_none() -> None:
    async with door_to(Office()) as door:
        assert await door.claim(wait=0.01) is None


async def test_the_wait_is_never_longer_than_the_door_allows() -> None:
    office = Office(turns=queue(turn()))
    async with door_to(office) as door:
        await door.claim(wait=600)
    assert office.claims[0]["wait"] == 30


async def test_a_token_is_fetched_once_and_again_when_it_is_about_to_end() -> None:
    office, short = Office(turns=queue(turn(), turn())), Office(turns=queue(turn(), turn()), lives=60)
    for one, tokens in ((office, 1), (short, 2)):
        async with door_to(one) as door:
            await door.claim()
            await door.claim()
        assert one.tokens == tokens


async def test_a_token_that_the_door_refuses_is_not_used_again() -> None:
    office = Office(turns=queue(turn()), trouble=queue(problem(401, "UNAUTHENTICATED")))
    async with door_to(office) as door:
        with pytest.raises(DoorFailed, match="401"):
            await door.claim()
        assert await door.claim() is not None
    assert [claim["by"] for claim in office.claims] == ["Bearer account-1", "Bearer account-2"]


async def test_a_wrong_secret_is_said_at_the_first_step() -> None:
    async with door_to(Office(), secret="wrong") as door:
        with pytest.raises(DoorFailed, match="token") as failed:
            await door.sign_in()
    assert failed.value.status == 401


async def test_a_call_whose_answer_was_lost_is_sent_again_and_done_once() -> None:
    unwell = [problem(503, "UNAVAILABLE"), problem(502, "BAD"), problem(429, "RATE_LIMITED")]
    office = Office(tools={"email_vendor": ok({"letter_id": "l-1"})}, turns=queue(turn()))
    async with door_to(office) as door:
        found = await door.claim()
        assert found is not None
        office.trouble.extend(unwell)
        answer = await found.call("email_vendor", subject="s", body="b")
        assert answer.ok
        assert (await found.call("email_vendor", subject="s", body="b")).call_id != answer.call_id
    assert len(office.made("email_vendor")) == 2


async def test_a_door_that_stays_unwell_fails_the_call() -> None:
    office = Office(tools={"get_invoice": ok()}, turns=queue(turn()))
    async with door_to(office, try_seconds=0.2) as door:
        found = await door.claim()
        assert found is not None
        office.trouble.extend(problem(503, "UNAVAILABLE") for _ in range(40))
        with pytest.raises(DoorFailed, match="503 UNAVAILABLE"):
            await found.call("get_invoice")
    assert len(office.trouble) < 40


async def test_what_is_broken_or_away_for_a_moment_is_asked_again() -> None:
    away = in_turn(fail(), fail("INTERNAL"), refuse("POLICY_UNAVAILABLE"), ok())
    office = Office(tools={"get_invoice": away}, turns=queue(turn()))
    async with door_to(office) as door:
        found = await door.claim()
        assert found is not None
        assert (await found.persistently("get_invoice")).ok
    assert len(office.made("get_invoice")) == 4


async def test_a_refusal_is_not_asked_again() -> None:
    office = Office(tools={"wait": refuse("NOTHING_AWAITED")}, turns=queue(turn()))
    async with door_to(office) as door:
        found = await door.claim()
        assert found is not None
        assert (await found.persistently("wait", reason="r")).code == "NOTHING_AWAITED"
    assert len(office.made("wait")) == 1


async def test_a_turn_waits_for_so_long_in_all_and_not_for_so_long_a_call() -> None:
    office = Office(tools={"get_invoice": fail(), "get_vendor": fail()}, turns=queue(turn()))
    async with door_to(office, try_seconds=0.2) as door:
        found = await door.claim()
        assert found is not None
        assert (await found.persistently("get_invoice")).code == "ERP_UNAVAILABLE"
        assert (await found.persistently("get_vendor")).code == "ERP_UNAVAILABLE"
    assert len(office.made("get_invoice")) == 3
    assert len(office.made("get_vendor")) == 2


async def test_a_refusal_is_an_answer_and_not_an_error() -> None:
    office = Office(tools={"wait": refuse("NOTHING_AWAITED")}, turns=queue(turn()))
    async with door_to(office) as door:
        found = await door.claim()
        assert found is not None
        answer = await found.call("wait", reason="r")
    assert (answer.ok, answer.outcome, answer.code) == (False, "REFUSED", "NOTHING_AWAITED")


async def test_a_lost_lease_is_told_apart() -> None:
    office = Office(turns=queue(turn()))
    async with door_to(office) as door:
        found = await door.claim()
        assert found is not None
        office.lost = True
        with pytest.raises(LeaseLost):
            await found.call("get_invoice")
        with pytest.raises(LeaseLost):
            await found.heartbeat()


async def test_nonsense_from_the_door_is_a_failure_that_says_so() -> None:
    office = Office(turns=queue(turn()), trouble=queue(JSONResponse({"turn_id": 7})))
    async with door_to(office) as door:
        with pytest.raises(DoorFailed, match="nonsense"):
            await door.claim()
        found = await door.claim()
        assert found is not None
        office.trouble.append(JSONResponse({"outcome": "PERHAPS"}))
        with pytest.raises(DoorFailed, match="nonsense"):
            await found.call("get_invoice")


async def test_usage_is_reported_per_model_and_an_unknown_count_is_left_out() -> None:
    office = Office(turns=queue(turn()))
    async with door_to(office) as door:
        found = await door.claim()
        assert found is not None
        found.used("small", input=10, output=2)
        found.used("large", input=5)
        await found.end()
    assert office.ended[0]["usage"] == [{"model": "small", "input": 10, "output": 2}, {"model": "large", "input": 5}]


async def test_a_field_that_a_later_desk_adds_does_not_disturb() -> None:
    later = turn()
    later["brief"]["mood"] = "calm"
    later["inputs"][0]["extra"] = {"a": 1}
    found = await claimed(Office(turns=queue(later)))
    assert found.inputs[0].said["extra"] == {"a": 1}
