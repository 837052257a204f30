"""OPA's data API over the repository's own bundle."""

import asyncio
import uuid
from typing import Any

import httpx
import pytest

ENTRYPOINTS = ["ap/routing/decision", "ap/resolution/decision"]


@pytest.fixture
def policy(stack: dict[str, Any]) -> str:
    return str(stack["policy"])


async def test_the_policy_server_is_well(policy: str, http: httpx.AsyncClient) -> None:
    assert (await http.get(f"{policy}/health")).status_code == 200


@pytest.mark.parametrize("entrypoint", ENTRYPOINTS)
async def test_a_question_gets_a_whole_object_with_reasons(
    policy: str, http: httpx.AsyncClient, entrypoint: str
) -> None:
    answer = await http.post(f"{policy}/v1/data/{entrypoint}", json={"input": {}})
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert isinstance(body["result"]["effect"], str)
    assert isinstance(body["result"]["reasons"], list)
    assert body["result"]["revision"]
    uuid.UUID(body["decision_id"])


async def test_each_decision_has_an_id_of_its_own(policy: str, http: httpx.AsyncClient) -> None:
    async def ask() -> str:
        answer = await http.post(f"{policy}/v1/data/{ENTRYPOINTS[0]}", json={"input": {}})
        return str(answer.json()["decision_id"])

    ids = await asyncio.gather(*(ask() for _ in range(20)))
    assert len(set(ids)) == 20


async def test_what_is_not_defined_has_no_result(policy: str, http: httpx.AsyncClient) -> None:
    for path in ("ap/nothing/here", "nothing", "ap/routing/decision/no_such_key"):
        answer = await http.post(f"{policy}/v1/data/{path}", json={"input": {}})
        assert answer.status_code == 200
        assert "result" not in answer.json()


async def test_data_stands_at_the_path_of_its_folder(policy: str, http: httpx.AsyncClient) -> None:
    answer = await http.get(f"{policy}/v1/data/ap/data/revision")
    assert isinstance(answer.json()["result"], str)
    tools = (await http.get(f"{policy}/v1/data/ap/data/tools")).json()["result"]
    assert (await http.get(f"{policy}/v1/data/ap/data/tools/0")).json()["result"] == tools[0]


async def test_the_input_may_come_in_the_address(policy: str, http: httpx.AsyncClient) -> None:
    url = f"{policy}/v1/data/{ENTRYPOINTS[0]}"
    by_get = await http.get(url, params={"input": '{"tool": "nonsense"}'})
    by_post = await http.post(url, json={"input": {"tool": "nonsense"}})
    assert by_get.json()["result"] == by_post.json()["result"]


@pytest.mark.parametrize("body", [b'{"input": ', b"nonsense", b'{"input": NaN}', b"\xff\xfe"])
async def test_a_body_that_is_no_json_is_an_invalid_parameter(
    policy: str, http: httpx.AsyncClient, body: bytes
) -> None:
    answer = await http.post(f"{policy}/v1/data/{ENTRYPOINTS[0]}", content=body)
    assert answer.status_code == 400
    assert answer.json()["code"] == "invalid_parameter"
    assert answer.json()["message"]


async def test_many_questions_at_once_get_each_its_own_answer(policy: str, http: httpx.AsyncClient) -> None:
    async def ask(tool: str) -> Any:
        answer = await http.post(f"{policy}/v1/data/{ENTRYPOINTS[0]}", json={"input": {"tool": tool}})
        return answer.json()["result"]

    kinds = ["note_case", "nonsense"]
    alone = {kind: await ask(kind) for kind in kinds}
    answers = await asyncio.gather(*(ask(kinds[n % 2]) for n in range(60)))
    assert answers == [alone[kinds[n % 2]] for n in range(60)]


async def test_the_policies_are_named(policy: str, http: httpx.AsyncClient) -> None:
    found = (await http.get(f"{policy}/v1/policies")).json()["result"]
    names = [one["id"] for one in found]
    assert any("routing" in name for name in names)
    assert not any(name.endswith("_test.rego") for name in names)
