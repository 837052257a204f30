"""The agent door describes itself in full: every error with an example, every body, and a page that stands alone."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import httpx
import pytest
from pydantic import ValidationError
from tests.support.kit import Issuer

from deskworld_desk.agent_door.app import agent_door
from deskworld_desk.agent_door.toolset import Toolset
from deskworld_desk.agent_door.wire import Claim, ToolCall, Usage
from deskworld_kit.problems import MEDIA_TYPE

ERRORS = {
    "/turns/claim": {"400", "401", "403", "413", "415", "500", "503"},
    "/turns/{turn_id}/calls": {"400", "401", "409", "413", "415", "500", "503"},
    "/turns/{turn_id}/heartbeat": {"400", "401", "409", "500", "503"},
    "/turns/{turn_id}/end": {"400", "401", "409", "413", "415", "500", "503"},
}


async def well() -> Mapping[str, str]:
    return {}


@pytest.fixture(scope="module")
def door() -> Any:
    return agent_door(cast("Toolset", None), Issuer().verifier(audience="desk-agent"), well)


@pytest.fixture(scope="module")
def document(door: Any) -> dict[str, Any]:
    return dict(door.openapi())


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for operation in methods.values():
            if path != "/health":
                yield path, operation


def test_every_error_is_declared_with_an_example_of_each_code(document: dict[str, Any]) -> None:
    found = {
        path: {status for status, answer in operation["responses"].items() if MEDIA_TYPE in answer.get("content", {})}
        for path, operation in operations(document)
    }
    assert found == ERRORS
    calls = document["paths"]["/turns/{turn_id}/calls"]["post"]["responses"]["409"]["content"][MEDIA_TYPE]
    assert set(calls["examples"]) == {"LEASE_LOST", "CALL_ID_REUSED"}


def test_every_body_and_every_answer_has_an_example(document: dict[str, Any]) -> None:
    for path, operation in operations(document):
        contents = [*operation.get("requestBody", {}).get("content", {}).values()]
        contents += [one for answer in operation["responses"].values() for one in answer.get("content", {}).values()]
        for content in contents:
            assert "example" in content or content.get("examples"), path
        assert operation["summary"]
        assert operation["security"] == [{"bearer": []}]


async def test_its_page_needs_no_network_but_this_door(door: Any) -> None:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(door), base_url="http://agents.test") as http:
        page = await http.get("/docs")
        assert page.status_code == 200
        links = set(re.findall(r'(?:href|src)="([^"#][^"]*)"', page.text))
        assert links == {"/docs/style.css", "/openapi.json"}
        for link in links:
            assert (await http.get(link)).status_code == 200
    assert "<script" not in page.text
    assert "/turns/{turn_id}/calls" in page.text


@pytest.mark.parametrize("count", [True, "1", 1.5, -1, 10**10])
def test_a_count_is_a_whole_number_and_nothing_that_looks_like_one(count: Any) -> None:
    with pytest.raises(ValidationError):
        Usage(model="m", input=count)


@pytest.mark.parametrize("wait", [True, "1", -1, 31])
def test_a_wait_is_a_number_of_seconds_up_to_thirty(wait: Any) -> None:
    with pytest.raises(ValidationError):
        Claim(agent="a", wait=wait)


@pytest.mark.parametrize(
    "args", [{"text": "half of a \ud800 character"}, {"number": float("nan")}, {"text": "x" * 70_000}]
)
def test_arguments_that_no_record_could_keep_are_malformed(args: Any) -> None:
    with pytest.raises(ValidationError):
        ToolCall(call_id="c", tool="note_case", args=args)


def test_a_whole_number_may_be_written_with_a_point() -> None:
    assert Usage.model_validate({"model": "m", "input": 3.0}).input == 3
