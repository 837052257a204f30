"""What the workbench's API says of itself: every route with its errors, and examples that fit."""

from collections.abc import Iterator
from typing import Any

from jsonschema_rs import Draft202012Validator
from tests.support.workbench_api import described_office

DESCRIBED = described_office()
PROBLEM = "application/problem+json"
APART = {"/health", "/hooks/erp"}
"""Without a token: the first takes nobody's, the second the ERP's signature."""


def operations() -> Iterator[tuple[str, str, Any]]:
    for path, methods in DESCRIBED["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def test_every_route_has_an_id_a_tag_and_says_what_it_does() -> None:
    ids = [operation["operationId"] for _, _, operation in operations()]
    assert len(ids) == len(set(ids)) > 30
    for path, _, operation in operations():
        assert operation["tags"], path
        assert path == "/health" or operation["description"], path


def test_every_error_is_declared_as_a_problem_document_with_examples() -> None:
    for path, method, operation in operations():
        declared = operation["responses"]
        if path not in APART:
            assert {"400", "401", "403", "500", "503"} <= set(declared), (method, path)
            assert operation["security"] == [{"bearer": []}]
        if "{" in path:
            assert "404" in declared, (method, path)
        if "requestBody" in operation:
            assert {"413", "415"} <= set(declared), (method, path)
        for status, answer in declared.items():
            if int(status) >= 400 and path != "/health":
                problem = answer["content"][PROBLEM]
                assert problem["schema"] == {"$ref": "#/components/schemas/Problem"}
                assert problem["examples"], (method, path, status)


def test_a_conflict_is_declared_by_what_it_can_be() -> None:
    def codes(path: str, status: str) -> set[str]:
        return set(DESCRIBED["paths"][path]["post"]["responses"][status]["content"][PROBLEM]["examples"])

    assert codes("/decisions/{decision_id}", "409") == {"DECISION_CLOSED", "CASE_CHANGED"}
    assert codes("/decisions/{decision_id}", "403") == {"NOT_AUTHORISED", "NOT_THE_DECIDER"}
    assert codes("/cases/{case_id}/resume", "409") == {"CASE_CHANGED", "NO_PERSON_NEEDED", "BUDGET_SPENT"}
    assert codes("/hooks/erp", "401") == {"SIGNATURE_REFUSED"}


def test_every_example_fits_its_schema() -> None:
    seen = 0
    for path, method, operation in operations():
        contents = list(operation.get("requestBody", {}).get("content", {}).values())
        for answer in operation["responses"].values():
            contents += answer.get("content", {}).values()
        for content in contents:
            whole = {**content.get("schema", {}), "components": DESCRIBED["components"]}
            examples = [content["example"]] if "example" in content else content.get("examples", {}).values()
            for one in examples:
                value = one["value"] if isinstance(one, dict) and set(one) == {"value"} else one
                Draft202012Validator(whole).validate(value)
                seen += 1
        assert method in {"get", "post", "put"}, path
    assert seen > 200
