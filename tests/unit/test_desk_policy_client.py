"""The policy service down, slow or talking nonsense is a refusal that says so."""

from typing import Any

import httpx
import pytest

from deskworld_desk.policy_client import UNAVAILABLE, PolicyClient

ROUTE = {"effect": "route", "role": "clerk", "reasons": [{"code": "NOTHING_PAID", "text": "…"}], "revision": "ap-1"}
STOP: dict[str, Any] = {
    "effect": "stop",
    "row": None,
    "action": None,
    "amount": None,
    "reason": "unhandled",
    "reasons": [],
    "revision": "ap-1",
}


def saying(body: Any, status: int = 200) -> PolicyClient:
    transport = httpx.MockTransport(lambda _: httpx.Response(status, json=body))
    return PolicyClient(httpx.AsyncClient(transport=transport, base_url="http://policy.test"))


async def test_an_answer_is_taken_as_it_is() -> None:
    answer = await saying({"decision_id": "d-1", "result": ROUTE}).routing("ap", {"tool": "propose_resolution"})
    assert (answer.effect, answer.role, answer.user, answer.decision_id) == ("route", "clerk", None, "d-1")
    assert not answer.failed


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"result": None},
        {"result": {"effect": "allow"}},
        {"result": ROUTE | {"effect": "pay"}},
        {"result": ROUTE | {"role": None}},
        {"result": ROUTE | {"reasons": "none"}},
        "allow",
    ],
)
async def test_nonsense_is_refused(body: Any) -> None:
    answer = await saying(body).routing("ap", {})
    assert (answer.effect, answer.reasons[0][0], answer.failed) == ("refuse", UNAVAILABLE, True)


@pytest.mark.parametrize("status", [404, 429, 500, 503])
async def test_a_service_that_is_unwell_is_refused(status: int) -> None:
    assert (await saying({"result": ROUTE}, status).routing("ap", {})).effect == "refuse"


async def test_a_service_that_is_down_is_refused_and_the_rules_stop_as_failed() -> None:
    def down(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    client = PolicyClient(httpx.AsyncClient(transport=httpx.MockTransport(down), base_url="http://policy.test"))
    assert (await client.routing("ap", {})).effect == "refuse"
    stopped = await client.resolution("ap", {})
    assert (stopped.effect, stopped.reason) == ("stop", "failed")


async def test_a_row_that_proposes_nothing_is_nonsense() -> None:
    for result in (STOP | {"effect": "propose"}, STOP | {"action": "hold"}, STOP | {"amount": "lots"}):
        assert (await saying({"result": result}).resolution("ap", {})).reason == "failed"


async def test_the_question_goes_to_the_world_that_asks() -> None:
    seen: list[httpx.Request] = []

    def keep(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"result": STOP})

    client = PolicyClient(httpx.AsyncClient(transport=httpx.MockTransport(keep), base_url="http://policy.test"))
    await client.resolution("shop", {"case": {}})
    assert seen[0].url.path == "/v1/data/shop/resolution/decision"
    assert seen[0].read() == b'{"input":{"case":{}}}'
