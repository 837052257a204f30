"""The agent door over MCP, by the official client: the tools of the HTTP door, the same turns, the same records."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import MCPError
from tests.support.agents_desk import AgentsDesk, agents_desk
from tests.support.mcp_agent import Era, called, mcp_client
from tests.support.served import served

from deskworld_kit.ids import new_id

ERAS: tuple[Era, ...] = ("auto", "legacy")
OWN = {"claim_turn", "heartbeat", "end_turn"}
Json = dict[str, Any]


@pytest.fixture(scope="module")
async def office(erp_postgres: Path) -> AsyncIterator[AgentsDesk]:
    async with agents_desk(erp_postgres, "mcp_door") as running:
        yield running


@pytest.fixture(scope="module")
async def address(office: AgentsDesk) -> AsyncIterator[str]:
    async with served(office.door) as where:
        yield where


@asynccontextmanager
async def client(office: AgentsDesk, address: str, era: Era = "auto") -> AsyncIterator[Any]:
    async with mcp_client(address, office.token(), era) as connected:
        yield connected


async def claimed(office: AgentsDesk, desk: Any) -> tuple[str, Json]:
    case_id = await office.open_case()
    turn = (await called(desk, "claim_turn", agent="tester", wait=5))["turn"]
    assert turn["case_id"] == case_id
    return case_id, turn


def same(rows: list[Json]) -> list[Json]:
    """What does not change from case to case, and from call id to call id."""
    told = {"tool", "arguments", "outcome", "code", "detail", "ids", "result_digest", "how", "usage", "fingerprint"}
    return [{"kind": row["kind"], **{name: row["data"][name] for name in told if name in row["data"]}} for row in rows]


@pytest.mark.parametrize("era", ERAS)
async def test_a_turn_over_mcp_leaves_the_records_that_it_leaves_over_http(
    office: AgentsDesk, address: str, era: Era
) -> None:
    usage = [{"model": "m", "input": 12}]
    async with client(office, address, era) as desk:
        over_mcp, turn = await claimed(office, desk)
        mine = {"turn": turn["token"]}
        assert turn["lease"] == 120
        looked = await called(desk, "look_at_shelf", shelf="B", **mine)
        assert (looked["outcome"], looked["ids"], looked["result"]["items"]) == ("OK", ["shelf-B"], 3)
        assert (await called(desk, "look_at_shelf", shelf="locked", **mine))["code"] == "LOCKED"
        assert (await called(desk, "pay_invoice", amount="1.00", **mine))["code"] == "TOOL_NOT_OFFERED"
        assert (await called(desk, "heartbeat", **mine)) == {"lease": 120}
        assert (await called(desk, "ask_keeper", question="Well?", **mine))["outcome"] == "OK"
        assert await called(desk, "end_turn", usage=usage, **mine) == {"how": "COMPLETED"}
    over_http = await office.open_case()
    async with office.http() as http:
        agent = {"Authorization": f"Bearer {office.token()}"}
        given = (await http.post("/turns/claim", json={"agent": "tester"}, headers=agent)).json()
        own = {"Authorization": f"Bearer {given['token']}"}
        for tool, args in (
            ("look_at_shelf", {"shelf": "B"}),
            ("look_at_shelf", {"shelf": "locked"}),
            ("pay_invoice", {"amount": "1.00"}),
            ("ask_keeper", {"question": "Well?"}),
        ):
            body = {"call_id": new_id(), "tool": tool, "args": args}
            await http.post(f"/turns/{given['turn_id']}/calls", json=body, headers=own)
        await http.post(f"/turns/{given['turn_id']}/end", json={"how": "COMPLETED", "usage": usage}, headers=own)
    one, other = await office.rows(over_mcp), await office.rows(over_http)
    for row in [*one, *other]:
        if row["kind"] == "tool.called" and row["data"]["tool"] == "ask_keeper":
            row["data"]["result_digest"] = "names the question"
    assert same(one) == same(other)


async def test_both_doors_offer_the_same_tools(office: AgentsDesk, address: str) -> None:
    await office.open_case()
    async with office.http() as http:
        agent = {"Authorization": f"Bearer {office.token()}"}
        given = (await http.post("/turns/claim", json={"agent": "tester"}, headers=agent)).json()
    over_http = {tool["name"]: tool for tool in given["tools"]}
    async with client(office, address) as desk:
        over_mcp = {tool.name: tool for tool in (await desk.list_tools()).tools}
        await called(desk, "end_turn", turn=given["token"])
    assert set(over_mcp) == set(over_http) | OWN
    for name, tool in over_http.items():
        schema = over_mcp[name].input_schema
        assert over_mcp[name].description == tool["description"]
        assert schema["required"][-1] == "turn"
        properties = {field: about for field, about in schema["properties"].items() if field not in {"turn", "call_id"}}
        assert properties == tool["parameters"].get("properties", {})


async def test_the_same_call_id_gets_the_same_answer_and_does_it_once(office: AgentsDesk, address: str) -> None:
    async with client(office, address) as desk:
        case_id, turn = await claimed(office, desk)
        asked = {"turn": turn["token"], "call_id": "one"}
        first, again = [await called(desk, "ask_keeper", question="Well?", **asked) for _ in range(2)]
        assert first == again
        other = await called(desk, "look_at_shelf", **asked)
        assert (other["status"], other["code"]) == (409, "CALL_ID_REUSED")
        await called(desk, "end_turn", turn=turn["token"])
    assert len(await office.rows(case_id, "question.asked")) == 1


async def test_outcomes_are_told_apart_and_what_is_no_success_is_an_error_to_mcp(
    office: AgentsDesk, address: str
) -> None:
    async with client(office, address) as desk:
        _, turn = await claimed(office, desk)
        mine = {"turn": turn["token"]}
        good = await desk.call_tool("look_at_shelf", mine)
        refused = await desk.call_tool("look_at_shelf", {"shelf": "locked", **mine})
        wrong = await desk.call_tool("look_at_shelf", {"height": 3, **mine})
        office.shelves.broken = True
        failed = await desk.call_tool("look_at_shelf", mine)
        office.shelves.broken = False
        assert [one.is_error for one in (good, refused, wrong, failed)] == [False, True, True, True]
        outcomes = [one.structured_content["outcome"] for one in (good, refused, wrong, failed)]
        assert outcomes == ["OK", "REFUSED", "REFUSED", "FAILED"]
        assert json.loads(refused.content[0].text) == refused.structured_content
        await called(desk, "end_turn", **mine)


async def test_a_turn_belongs_to_whoever_has_its_token(office: AgentsDesk, address: str) -> None:
    async with client(office, address) as desk:
        case_id, turn = await claimed(office, desk)
        for token in ("nonsense", turn["turn_id"], office.token()):
            refused = await called(desk, "look_at_shelf", turn=token[:200])
            assert (refused["status"], refused["code"]) == (401, "UNAUTHENTICATED"), token
        async with mcp_client(address, office.token(azp="another-agent")) as other:
            refused = await called(other, "look_at_shelf", turn=turn["token"])
            assert (refused["status"], refused["code"]) == (401, "UNAUTHENTICATED")
        nothing = await called(desk, "look_at_shelf")
        assert (nothing["status"], nothing["code"]) == (400, "INVALID_REQUEST")
        assert "turn" in nothing["detail"]
        await called(desk, "end_turn", turn=turn["token"])
        late = await called(desk, "look_at_shelf", turn=turn["token"])
        assert (late["status"], late["code"]) == (409, "LEASE_LOST")
    assert await office.rows(case_id, "tool.called") == []


async def test_no_turn_in_time_is_no_error(office: AgentsDesk, address: str) -> None:
    async with client(office, address) as desk:
        assert await called(desk, "claim_turn", agent="tester", wait=0.05) == {"turn": None}
        wrong = await called(desk, "claim_turn", agent="tester", wait=31)
        assert (wrong["code"], "wait" in wrong["detail"]) == ("INVALID_REQUEST", True)


async def test_a_client_that_hangs_up_while_it_waits_takes_no_turn_away(office: AgentsDesk, address: str) -> None:
    async def waiting() -> None:
        async with client(office, address) as desk:
            await called(desk, "claim_turn", agent="gone", wait=25)

    gone = asyncio.create_task(waiting())
    while office.desk.turnstile.clients == 0:
        await asyncio.wait([gone], timeout=0.01)
    gone.cancel()
    await asyncio.wait([gone])
    async with client(office, address) as desk:
        _, turn = await claimed(office, desk)
        assert turn["number"] == 1
        await called(desk, "end_turn", turn=turn["token"])


@pytest.mark.parametrize(
    ("claims", "status"),
    [
        ({"aud": "desk"}, 401),
        ({"aud": ["erp", "desk"]}, 401),
        ({"lives": -60}, 401),
        ({"realm_access": {"roles": ["buyer"]}}, 403),
    ],
)
async def test_agents_alone_come_in(office: AgentsDesk, address: str, claims: Json, status: int) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream"}
    async with httpx.AsyncClient() as http:
        headers = {**accept, "Authorization": f"Bearer {office.token(**claims)}"}
        answer = await http.post(f"{address}/mcp", json=body, headers=headers)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")


async def test_who_has_no_token_is_told_where_to_get_one(office: AgentsDesk, address: str) -> None:
    async with httpx.AsyncClient() as http:
        refused = await http.post(f"{address}/mcp", json={})
        assert refused.status_code == 401
        named = refused.headers["www-authenticate"].partition('resource_metadata="')[2].rstrip('"')
        told = (await http.get(named)).json()
    assert (told["resource"], told["authorization_servers"]) == (f"{address}/mcp", [office_issuer()])


def office_issuer() -> str:
    return "http://issuer.test/realms/deskworld"


async def test_what_is_no_mcp_is_an_answer_and_no_crash(office: AgentsDesk, address: str) -> None:
    headers = {"Authorization": f"Bearer {office.token()}", "Accept": "application/json, text/event-stream"}
    modern = {**headers, "MCP-Protocol-Version": "2026-07-28"}
    bodies: list[Any] = [b"", b"[]", b"{", b'"x"', b"[" * 5000, b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}',
                         b'{"jsonrpc": "2.0", "id": 1, "method": "no/such"}']  # fmt: skip
    async with httpx.AsyncClient() as http:
        for sent in (headers, modern):
            for body in bodies:
                told = {**sent, "Content-Type": "application/json"}
                answer = await http.post(f"{address}/mcp", content=body, headers=told)
                assert answer.status_code < 500, (answer.status_code, body[:40], answer.text)
        for method in ("GET", "PUT", "DELETE"):
            answer = await http.request(method, f"{address}/mcp", headers=modern)
            assert answer.status_code < 500, (method, answer.status_code)


async def test_a_method_that_the_door_does_not_have_is_refused_by_the_protocol(
    office: AgentsDesk, address: str
) -> None:
    async with client(office, address) as desk:
        with pytest.raises(MCPError):
            await desk.list_prompts()
