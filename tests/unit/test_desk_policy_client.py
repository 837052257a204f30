"""The policy service down, slow or talking nonsense is a refusal that says so."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.support.policy import POLICIES, documents

from deskworld_desk.policy_client import UNAVAILABLE, Digests, PolicyClient
from deskworld_embedded.policy.app import policy_app
from deskworld_kit import chain, clock
from deskworld_kit.health import Unwell

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


Answer = Callable[[httpx.Request], Coroutine[None, None, httpx.Response]]


async def down(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("refused", request=request)


async def cut(request: httpx.Request) -> httpx.Response:
    raise httpx.ReadError("reset by peer", request=request)


async def silent(_: httpx.Request) -> httpx.Response:
    await asyncio.Event().wait()
    raise AssertionError("nobody ends this wait")


class Dripping(httpx.AsyncByteStream):
    """Each byte comes well within the client's own deadline, and the answer never ends."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            yield b" "
            await clock.pause(0.005)


async def dripping(_: httpx.Request) -> httpx.Response:
    return httpx.Response(200, stream=Dripping())


async def undefined(_: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json={"decision_id": "d-1"})


async def broken(_: httpx.Request) -> httpx.Response:
    return httpx.Response(500, json={"code": "internal_error"})


async def nonsense(_: httpx.Request) -> httpx.Response:
    return httpx.Response(200, content=b"<html>")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (down, "it cannot be reached"),
        (cut, "it cannot be reached"),
        (silent, "it did not answer in time"),
        (dripping, "it did not answer in time"),
        (undefined, "it has no decision for this question"),
        (broken, "it answered 500"),
        (nonsense, "it answered nonsense"),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
async def test_each_way_of_giving_no_decision_is_refused_with_that_reason(answer: Answer, why: str) -> None:
    transport = httpx.MockTransport(answer)
    client = PolicyClient(httpx.AsyncClient(transport=transport, base_url="http://policy.test"), deadline=0.05)
    refused = await client.routing("ap", {})
    assert (refused.effect, refused.role, refused.user, refused.failed) == ("refuse", None, None, True)
    ((code, text),) = refused.reasons
    assert code == UNAVAILABLE
    assert why in text
    stopped = await client.resolution("ap", {})
    assert (stopped.effect, stopped.action, stopped.reason, stopped.failed) == ("stop", None, "failed", True)
    assert why in stopped.reasons[0][1]
    with pytest.raises(Unwell, match=why):
        await client.decides("ap")


async def test_the_policies_in_force_are_known_by_their_digests() -> None:
    known = await PolicyClient(over(policy_app(POLICIES))).digests("ap")
    assert known.rules == chain.digest(documents()["ap"]["resolution"]["table"])
    assert known.policy is not None
    assert known == await PolicyClient(over(policy_app(POLICIES))).digests("ap")


async def test_a_rule_that_is_edited_changes_the_digest_of_the_policy_and_a_row_that_of_the_rules(
    tmp_path: Path,
) -> None:
    before = await PolicyClient(over(policy_app(POLICIES))).digests("ap")
    copy = Path(shutil.copytree(POLICIES, tmp_path / "policies"))
    rego = copy / "ap" / "routing" / "hold.rego"
    rego.write_text(rego.read_text() + "\n# edited\n")
    edited = await PolicyClient(over(policy_app(copy))).digests("ap")
    assert (edited.rules, edited.policy != before.policy) == (before.rules, True)
    table = copy / "ap" / "resolution" / "table" / "data.json"
    table.write_text(table.read_text().replace("10.00", "11.00"))
    changed = await PolicyClient(over(policy_app(copy))).digests("ap")
    assert (changed.policy, changed.rules != before.rules) == (edited.policy, True)


async def test_policies_that_cannot_be_read_have_no_digest_and_bar_nothing() -> None:
    client = PolicyClient(httpx.AsyncClient(transport=httpx.MockTransport(down), base_url="http://policy.test"))
    assert await client.digests("ap") == Digests()


def over(app: Any) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://policy.test")


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
