"""A decision becomes one ERP command; what the ERP answered is told apart from what nobody knows."""

import asyncio
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import httpx
import pytest
from tests.support.desk_ap import CASE_ID, INVOICE_ID
from tests.support.kit import Issuer

from deskworld_desk.world import Carried, Order, Unreachable
from deskworld_desk.worlds.ap.actions import carry, command_body, outcome
from deskworld_desk.worlds.ap.erp_client import Deadlines, ErpClient
from deskworld_kit import clock

Answer = Callable[[httpx.Request], httpx.Response]
APPLIED = {"amount": "1040.00", "status": "APPROVED", "version": 2}


def an_order(action: str = "approve-variance", **changes: Any) -> Order:
    plain: dict[str, Any] = {
        "key": "decision-1",
        "case_id": CASE_ID,
        "record_id": INVOICE_ID,
        "action": action,
        "amount": "1040.00",
        "settles": (CASE_ID,),
        "against": None,
        "version": 3,
        "comment": "Agreed.",
    }
    return Order(**plain | changes)


def erp(answer: Answer) -> ErpClient:
    http = httpx.AsyncClient(transport=httpx.MockTransport(answer), base_url="http://erp.test")
    return ErpClient(http, Issuer().account())


def answering(status: int, body: Any, **headers: str) -> Answer:
    return lambda _: httpx.Response(status, json=body, headers=headers)


def test_the_decision_is_the_key_and_the_version_is_the_one_that_was_decided_on() -> None:
    body = command_body(an_order())
    assert (body["decision_id"], body["expected_version"], body["settles"]) == ("decision-1", 3, [CASE_ID])


def test_only_a_short_pay_says_how_much() -> None:
    assert "amount" not in command_body(an_order())
    assert command_body(an_order("short-pay", amount="600.00"))["amount"] == "600.00"


@pytest.mark.parametrize("action", ["hold", "request-credit-memo"])
def test_a_hold_is_of_one_exception_and_settles_none(action: str) -> None:
    body = command_body(an_order(action, amount=None))
    assert body["exception_id"] == CASE_ID
    assert "settles" not in body


def test_a_payment_without_an_order_names_one() -> None:
    assert command_body(an_order(against="PO-7"))["against_po"] == "PO-7"


async def test_the_command_goes_out_with_the_persons_own_token_and_the_key() -> None:
    seen: list[httpx.Request] = []

    def keep(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json=APPLIED)

    assert await carry(erp(keep), an_order(), "token-of-anna") == Carried("applied", "1040.00", "APPROVED", 2)
    assert seen[0].url.path == f"/invoices/{INVOICE_ID}/approve-variance"
    assert seen[0].headers["authorization"] == "Bearer token-of-anna"
    assert seen[0].headers["idempotency-key"] == "decision-1"


@pytest.mark.parametrize(
    ("status", "code", "expected"),
    [
        (409, "STALE_VERSION", "stale"),
        (403, "NOT_AUTHORISED", "refused"),
        (422, "DUPLICATE_OPEN", "refused"),
        (422, "INVALID_TRANSITION", "refused"),
        (400, "INVALID_REQUEST", "refused"),
        (401, "UNAUTHENTICATED", "unauthorised"),
    ],
)
async def test_a_refusal_is_the_erps_answer(status: int, code: str, expected: str) -> None:
    carried = await carry(erp(answering(status, {"code": code, "detail": "why"})), an_order(), "t")
    assert carried.outcome == expected


@pytest.mark.parametrize("status", [429, 500, 502, 503])
async def test_what_says_nothing_about_the_command_is_unreachable(status: int) -> None:
    with pytest.raises(Unreachable):
        await carry(erp(answering(status, {"code": "X"})), an_order(), "t")


async def test_an_answer_that_is_not_understood_is_never_taken_for_applied() -> None:
    for body in ({}, {"status": "APPROVED"}, {"amount": None, "status": "APPROVED", "version": "two"}):
        with pytest.raises(Unreachable):
            await carry(erp(answering(200, body)), an_order(), "t")


async def test_a_dropped_connection_is_unreachable() -> None:
    def drop(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadError("gone", request=request)

    with pytest.raises(Unreachable):
        await carry(erp(drop), an_order(), "t")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"outcome": "applied", "answer": APPLIED}, "applied"),
        ({"outcome": "refused", "code": "EXCEPTION_OPEN"}, "refused"),
        ({"outcome": "unknown"}, "unknown"),
    ],
)
async def test_what_became_of_a_key_is_asked_after_a_restart(said: dict[str, Any], expected: str) -> None:
    assert (await outcome(erp(answering(200, said)), "decision-1")).outcome == expected


async def test_nonsense_about_a_key_is_asked_again_and_believed_never() -> None:
    for said in ({}, {"outcome": "perhaps"}, {"outcome": "applied"}):
        with pytest.raises(Unreachable):
            await outcome(erp(answering(200, said)), "decision-1")


async def test_a_read_is_tried_three_times() -> None:
    asked = 0

    def flaky(_: httpx.Request) -> httpx.Response:
        nonlocal asked
        asked += 1
        return httpx.Response(200, json={"id": "v"}) if asked == 3 else httpx.Response(503)

    assert await erp(flaky).vendor("v") == {"id": "v"}
    assert asked == 3


async def test_a_read_gives_up_after_three_tries() -> None:
    with pytest.raises(Unreachable, match="503"):
        await erp(answering(503, {})).vendor("v")


async def test_a_long_retry_after_is_not_waited_for() -> None:
    asked = 0

    def later(_: httpx.Request) -> httpx.Response:
        nonlocal asked
        asked += 1
        return httpx.Response(429, headers={"Retry-After": "60"})

    with pytest.raises(Unreachable):
        await erp(later).similar("i")
    assert asked == 1


async def test_a_short_retry_after_is_honoured() -> None:
    asked: list[float] = []

    def soon(_: httpx.Request) -> httpx.Response:
        asked.append(clock.monotonic())
        return httpx.Response(503, headers={"Retry-After": "0.03"})

    with pytest.raises(Unreachable):
        await erp(soon).similar("i")
    assert len(asked) == 3
    assert all(later - earlier >= 0.03 for earlier, later in pairwise(asked))


async def silent(_: httpx.Request) -> httpx.Response:
    await asyncio.Event().wait()
    raise AssertionError("nobody ends this wait")


async def test_an_erp_that_says_nothing_is_not_waited_for_longer_than_the_deadline() -> None:
    http = httpx.AsyncClient(transport=httpx.MockTransport(silent), base_url="http://erp.test")
    client = ErpClient(http, Issuer().account(), Deadlines(read=0.02, command=0.02))
    async with asyncio.timeout(5):
        with pytest.raises(Unreachable):
            await client.invoice("i")
        with pytest.raises(Unreachable):
            await carry(client, an_order(), "t")
    assert Deadlines() == Deadlines(read=10.0, command=30.0)


async def test_an_order_that_the_erp_does_not_know_is_none_and_no_failure() -> None:
    assert await erp(answering(404, {"code": "NOT_FOUND"})).order("PO-9") is None


async def test_a_number_with_strange_characters_is_one_part_of_the_path() -> None:
    seen: list[bytes] = []

    def keep(request: httpx.Request) -> httpx.Response:
        seen.append(request.url.raw_path)
        return httpx.Response(404)

    await erp(keep).order("../invoices?x=1#y")
    assert seen == [b"/purchase-orders/..%2Finvoices%3Fx%3D1%23y"]
