"""Turns: who gets one, how one ended, and the fingerprint that it leaves."""

import asyncio

import pytest

from deskworld_desk.turns.ending import CALLS_PER_TURN, what_was_seen
from deskworld_desk.turns.fingerprint import fingerprint
from deskworld_desk.turns.inputs import label
from deskworld_desk.turns.rounds import Rounds
from deskworld_desk.turns.turnstile import Turnstile

READ = ("get_invoice", "read", "OK")
PROPOSED = ("propose_resolution", "move", "OK")


@pytest.mark.parametrize(
    ("calls", "how"),
    [
        ([READ, PROPOSED], "COMPLETED"),
        ([READ, ("ask_buyer", "ask", "OK")], "COMPLETED"),
        ([("email_vendor", "ask", "OK")], "COMPLETED"),
        ([READ, ("keep_hold", "move", "OK")], "KEPT"),
        ([("wait", "move", "OK")], "WAITING"),
        ([], "EMPTY"),
        ([READ, READ], "EMPTY"),
        ([("note_case", "note", "OK")], "EMPTY"),
        ([("propose_resolution", "move", "REFUSED")], "INVALID"),
        ([("email_vendor", "ask", "FAILED"), READ], "INVALID"),
        ([("propose_resolution", "move", "REFUSED"), PROPOSED], "COMPLETED"),
        ([READ] * CALLS_PER_TURN, "TOOL_LIMIT"),
    ],
)
def test_how_a_turn_ended_is_what_the_desk_saw(calls: list[tuple[str, str, str]], how: str) -> None:
    assert what_was_seen(calls, idle=False) == how


def test_a_turn_that_had_nothing_to_do_is_completed_without_a_move() -> None:
    assert what_was_seen([], idle=True) == "COMPLETED"


def test_two_turns_that_did_the_same_leave_the_same_fingerprint() -> None:
    calls = [(1, "get_invoice", "OK"), (2, "propose_resolution", "OK")]
    assert fingerprint(calls, "COMPLETED") == fingerprint(list(calls), "COMPLETED")


def test_the_order_within_a_round_says_nothing() -> None:
    one = [(1, "get_invoice", "OK"), (1, "get_vendor", "OK")]
    assert fingerprint(one, "COMPLETED") == fingerprint(one[::-1], "COMPLETED")


@pytest.mark.parametrize(
    ("calls", "how"),
    [
        ([(1, "get_invoice", "OK"), (1, "propose_resolution", "OK")], "COMPLETED"),
        ([(1, "get_invoice", "OK"), (2, "propose_resolution", "REFUSED")], "COMPLETED"),
        ([(1, "propose_resolution", "OK"), (2, "get_invoice", "OK")], "COMPLETED"),
        ([(1, "get_invoice", "OK"), (2, "propose_resolution", "OK")], "TIMEOUT"),
    ],
)
def test_another_trajectory_leaves_another_fingerprint(calls: list[tuple[int, str, str]], how: str) -> None:
    usual = [(1, "get_invoice", "OK"), (2, "propose_resolution", "OK")]
    assert fingerprint(calls, how) != fingerprint(usual, "COMPLETED")


async def test_calls_that_were_under_way_together_are_one_round_and_run_one_after_the_other() -> None:
    rounds, running, numbers = Rounds(), 0, []
    go_on = asyncio.Event()

    async def call() -> None:
        nonlocal running
        async with rounds.call("turn") as number:
            running += 1
            assert running == 1
            numbers.append(number)
            await go_on.wait()
            running -= 1

    calls = [asyncio.create_task(call()) for _ in range(3)]
    await asyncio.wait(calls, timeout=0.01)
    go_on.set()
    await asyncio.gather(*calls)
    async with rounds.call("turn") as later:
        assert (numbers, later) == ([1, 1, 1], 2)


async def test_rounds_go_on_where_a_process_that_ended_left_off() -> None:
    rounds, numbers = Rounds(), []
    for on_record in (2, 3, 4):
        async with rounds.call("turn") as number:
            numbers.append(rounds.since("turn", number, on_record))
    assert numbers == [3, 4, 5]


async def test_two_clients_never_get_the_same_case() -> None:
    turnstile = Turnstile()
    first, second = (asyncio.create_task(turnstile.take(wait)) for wait in (5, 0.1))
    await asyncio.wait([first], timeout=0.01)
    turnstile.offer("case")
    assert (await first, await second) == ("case", None)


async def test_the_case_that_waited_longest_is_taken_first_and_once() -> None:
    turnstile = Turnstile()
    for case in ("first", "second", "first"):
        turnstile.offer(case)
    assert [await turnstile.take(0) for _ in range(3)] == ["first", "second", None]


async def test_a_client_that_hangs_up_while_it_waits_takes_nothing_away() -> None:
    turnstile = Turnstile()
    gone = asyncio.create_task(turnstile.take(5))
    await asyncio.wait([gone], timeout=0.01)
    gone.cancel()
    await asyncio.wait([gone])
    turnstile.offer("case")
    assert await turnstile.take(0) == "case"


async def test_a_case_that_was_handed_over_at_the_moment_of_hanging_up_is_offered_again() -> None:
    turnstile = Turnstile()
    gone = asyncio.create_task(turnstile.take(5))
    await asyncio.wait([gone], timeout=0.01)
    turnstile.offer("case")
    gone.cancel()
    await asyncio.wait([gone])
    taken = None if gone.cancelled() else gone.result()
    assert taken == "case" or await turnstile.take(0) == "case"


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (("rules-stopped", "NO_PO", "unhandled"), "rules-stopped:NO_PO:unhandled"),
        (("rechecked", "QTY_OVER_RECEIPT", "hold-date"), "rechecked:QTY_OVER_RECEIPT:hold-date"),
        (("rechecked", "NO_PO", "0199d2c4-7a10-7c3e-8f00-5b6d1e2f3a4b"), "rechecked:NO_PO:OTHER"),
        (("reply", "Please pay Muster AG at once"), "reply:OTHER"),
        (("decision", ""), "decision:OTHER"),
    ],
)
def test_a_label_is_made_of_codes_and_names_no_record_and_nobody(parts: tuple[str, ...], said: str) -> None:
    assert label(*parts) == said


async def test_while_agents_are_held_nobody_is_served_and_then_the_oldest_first() -> None:
    turnstile = Turnstile()
    turnstile.offer("second")
    turnstile.hold()
    waiting = asyncio.create_task(turnstile.take(5))
    await asyncio.wait([waiting], timeout=0.01)
    turnstile.offer("third")
    assert (waiting.done(), turnstile.held, turnstile.clients) == (False, True, 1)
    turnstile.release(["first", "second"])
    assert [await waiting, *[await turnstile.take(0) for _ in range(3)]] == ["first", "second", "third", None]


async def test_a_case_that_nobody_was_told_of_goes_back_to_the_head() -> None:
    turnstile = Turnstile()
    for case in ("first", "second"):
        turnstile.offer(case)
    taken = await turnstile.take(0)
    assert taken == "first"
    turnstile.hand_back(taken)
    assert [await turnstile.take(0) for _ in range(2)] == ["first", "second"]


async def test_a_client_that_hung_up_gets_nothing_though_something_is_there() -> None:
    turnstile, gone = Turnstile(), asyncio.get_running_loop().create_future()
    gone.set_result(None)
    turnstile.offer("case")
    assert await turnstile.take(5, gone) is None
    assert await turnstile.take(0) == "case"
