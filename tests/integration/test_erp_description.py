"""What the doors say of themselves: every route with its errors, examples that fit, a page that needs no network."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator
from tests.support.erp import RunningErp

METHODS = {"get", "post", "put", "delete", "patch"}
PROBLEM = "application/problem+json"
FREE = "/health"


@pytest.fixture(params=["office", "stage"])
def described(erp: RunningErp, request: pytest.FixtureRequest) -> Any:
    transport = getattr(erp, request.param)._transport
    return transport.app.openapi()


def operations(described: Any) -> Iterator[tuple[str, str, Any]]:
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def test_every_route_has_an_id_a_tag_and_says_what_it_does(described: Any) -> None:
    ids = [operation["operationId"] for _, _, operation in operations(described)]
    assert len(ids) == len(set(ids))
    for path, method, operation in operations(described):
        assert method in METHODS
        assert operation["tags"], path
        assert operation.get("summary"), path
        assert path == FREE or operation.get("description"), (method, path)


def test_every_error_is_declared_as_a_problem_document(described: Any) -> None:
    for path, method, operation in operations(described):
        if path == FREE:
            continue
        declared = operation["responses"]
        assert {"401", "500", "503"} <= set(declared), (method, path)
        assert operation["security"] == [{"bearer": []}]
        if operation.get("parameters") or "requestBody" in operation:
            assert "400" in declared, (method, path)
        if "requestBody" in operation:
            assert {"413", "415"} <= set(declared), (method, path)
        for status, answer in declared.items():
            if int(status) >= 400:
                problem = answer["content"][PROBLEM]
                assert problem["schema"] == {"$ref": "#/components/schemas/Problem"}, (method, path, status)
                assert problem["examples"], (method, path, status)
        if "304" in declared:
            assert "ETag" in declared["200"]["headers"]
            assert "If-None-Match" in {one["name"] for one in operation["parameters"]}


def test_every_example_fits_its_schema(described: Any) -> None:
    seen = 0
    for path, method, operation in operations(described):
        for content in contents(operation):
            whole = {**content.get("schema", {}), "components": described["components"]}
            for example in examples(content):
                Draft202012Validator(whole).validate(example)
                seen += 1
        assert method in METHODS, path
    assert seen > 50


def contents(operation: Any) -> Iterator[Any]:
    yield from operation.get("requestBody", {}).get("content", {}).values()
    for answer in operation["responses"].values():
        yield from answer.get("content", {}).values()


def examples(content: Any) -> Iterator[Any]:
    if "example" in content:
        yield content["example"]
    yield from (one["value"] for one in content.get("examples", {}).values())


async def test_the_situation_that_the_description_shows_can_be_seeded(erp: RunningErp) -> None:
    described = (await erp.stage.get("/openapi.json")).json()
    content = described["paths"]["/stage/situations"]["post"]["requestBody"]["content"]["application/json"]
    seeded = await erp.seed(content["example"])
    assert seeded.reasons == ["PRICE_VARIANCE"]
    assert (await erp.stage.post("/stage/reset", params={"vendor_id": seeded.vendor_id})).status_code == 200


@pytest.mark.parametrize("door", ["office", "stage"])
async def test_the_page_of_a_door_needs_no_network_and_runs_nothing(erp: RunningErp, door: str) -> None:
    client = getattr(erp, door)
    page = await client.get("/docs")
    assert page.status_code == 200
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'self'")
    assert "unsafe" not in policy
    assert not re.search(r"<script|<img|\son[a-z]+=|style=|(?:href|src)=.?(?:https?:|//)", page.text), (
        "nothing is run or fetched from elsewhere"
    )
    for address in re.findall(r'(?:href|src)="(/[^"]*)"', page.text):
        assert (await client.get(address)).status_code == 200, address
    for anchor in re.findall(r'href="#([^"]*)"', page.text):
        assert f'id="{anchor}"' in page.text, anchor
    described = (await client.get("/openapi.json")).json()
    for path in described["paths"]:
        assert path in page.text
