"""A bank change asked for at the ERP as the person who asks: what the ERP says comes back as it is, or it is away."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from tests.support.kit import Issuer

from deskworld_desk.workbench.verifying import body_of, listed, one, take
from deskworld_desk.worlds.ap.bank_changes import bank_changes
from deskworld_desk.worlds.ap.erp_client import ErpClient
from deskworld_kit.problems import Problem

CHANGE = {"id": "c-1", "vendor_id": "v-1", "status": "CALLED_BACK"}
VENDOR = {"id": "v-1", "name": "Muster AG", "contacts": [], "terms": "NET30", "bank_accounts": ["not for this page"]}
Answer = Callable[[httpx.Request], httpx.Response]


def desk(answer: Answer) -> Any:
    http = httpx.AsyncClient(transport=httpx.MockTransport(answer), base_url="http://erp.test")
    changes = bank_changes(ErpClient(http, Issuer().account()))
    return SimpleNamespace(worlds={"ap": SimpleNamespace(changes=changes)})


def erp(*, change: httpx.Response | None = None, seen: list[httpx.Request] | None = None) -> Answer:
    def answer(request: httpx.Request) -> httpx.Response:
        if seen is not None:
            seen.append(request)
        if request.url.path == "/vendors/v-1":
            return httpx.Response(200, json=VENDOR)
        if request.url.path == "/bank-changes":
            return httpx.Response(200, json={"items": [CHANGE, CHANGE], "next": None, "ids": []})
        return change or httpx.Response(200, json=CHANGE)

    return answer


async def test_everything_is_asked_with_the_persons_own_token_and_no_vendor_twice() -> None:
    seen: list[httpx.Request] = []
    found = await listed(desk(erp(seen=seen)), "a-persons-token")
    assert {request.headers["authorization"] for request in seen} == {"Bearer a-persons-token"}
    assert [request.url.path for request in seen] == ["/bank-changes", "/vendors/v-1"]
    assert seen[0].url.params.get_list("status") == ["PROPOSED", "CALLED_BACK"]
    assert found["items"][0] == {
        "change": CHANGE,
        "party": {"id": "v-1", "name": "Muster AG", "contacts": []},
        "next": ["confirm", "reject"],
    }
    every: list[httpx.Request] = []
    await listed(desk(erp(seen=every)), "t", cursor="abc", done_too=True)
    assert dict(every[0].url.params) == {"cursor": "abc"}


async def test_a_step_goes_on_under_the_key_and_with_the_body_that_came() -> None:
    seen: list[httpx.Request] = []
    where = desk(erp(seen=seen))
    body = body_of(where, "call-back", {"phone": "+1", "answer": "yes"})
    await take(where, "c/1", "call-back", body, token="t", key="k-1")
    assert seen[0].url.raw_path == b"/bank-changes/c%2F1/call-back"
    assert (seen[0].headers["idempotency-key"], seen[0].content) == ("k-1", b'{"phone":"+1","answer":"yes"}')


@pytest.mark.parametrize(
    ("status", "code"), [(403, "NOT_AUTHORISED"), (422, "VERIFICATION_REFUSED"), (401, "UNAUTHENTICATED")]
)
async def test_what_the_erp_refuses_is_refused_with_its_own_words(status: int, code: str) -> None:
    said = {"code": code, "detail": "the ERP's words", "values": {"phone": "+1"}}
    where = desk(erp(change=httpx.Response(status, json=said)))
    with pytest.raises(Problem, match="the ERP's words") as refused:
        await take(where, "c-1", "reject", body_of(where, "reject", {}), token="t", key="k")
    assert (refused.value.status, refused.value.code, refused.value.values) == (status, code, {"phone": "+1"})


@pytest.mark.parametrize(
    "answer",
    [httpx.Response(500), httpx.Response(429), httpx.Response(200, text="<html>"), httpx.Response(200, json=[1])],
)
async def test_an_erp_that_says_nothing_of_use_is_away(answer: httpx.Response) -> None:
    where = desk(erp(change=answer))
    with pytest.raises(Problem, match="UNAVAILABLE") as away:
        await one(where, "c-1", "t")
    assert (away.value.status, away.value.headers) == (503, {"Retry-After": "1"})


@pytest.mark.parametrize("status", [400, 404])
async def test_a_change_that_the_erp_does_not_know_is_not_found(status: int) -> None:
    with pytest.raises(Problem, match="NOT_FOUND"):
        await one(desk(erp(change=httpx.Response(status, json={"code": "X"}))), "c-1", "t")


@pytest.mark.parametrize(
    ("step", "fields", "field"),
    [("call-back", {"phone": "+1"}, "answer"), ("call-back", {"phone": "+1", "answer": "maybe"}, "answer"),
     ("confirm", {"comment": "NUL \x00"}, "comment"), ("reject", {"comment": "x" * 4001}, "comment")],
)  # fmt: skip
def test_a_step_that_is_filled_in_wrongly_names_the_field(step: str, fields: dict[str, str], field: str) -> None:
    with pytest.raises(Problem, match="INVALID_REQUEST") as refused:
        body_of(desk(erp()), step, fields)
    assert refused.value.values == {"field": field}
