"""OPA as the stack's policy: what the timeline says of its answers stands in OPA's own log, and a case is replayed by
the OPA that the stack runs."""

import json
import uuid
from pathlib import Path
from typing import Any

import pytest
from tests.compose.conftest import Company
from tests.compose.test_doctor import own_policies
from tests.support.policy_edit import asked, failed, numbers, played, until_in_force

from deskworld.values.stack import Stack


def stack_of(company: Company) -> Stack:
    return Stack.model_validate(company.stack)


def logged(company: Company) -> dict[str, dict[str, Any]]:
    """OPA's decision log by decision id."""
    lines = company.compose("logs", "--no-log-prefix", "policy").splitlines()
    said = [
        json.loads(line[line.index("{") :]) for line in lines if "{" in line
    ]  # Compose puts a code of its own before
    return {one["decision_id"]: one for one in said if one.get("type") == "openpolicyagent.org/decision_logs"}


async def nothing() -> None:
    pass


async def test_each_answer_in_the_timeline_is_the_one_that_opas_log_has_under_its_id(
    company: Company, tmp_path: Path
) -> None:
    verdict, evidence = await played(stack_of(company), "buyer-denies", tmp_path, nothing)
    assert failed(verdict) == set()
    answers, log = asked(evidence), logged(company)
    assert len({uuid.UUID(one["policy_decision_id"]) for one in answers}) == len(answers) >= 2
    for one in answers:
        entry = log[one["policy_decision_id"]]
        assert entry["path"] == f"{one['policy'].replace('.', '/')}/decision"
        assert entry["input"] == evidence.blobs[one["input_digest"]]
        assert (entry["result"]["effect"], entry["result"]["revision"]) == (one["effect"], one["revision"])


async def test_the_replay_is_asked_of_the_opa_of_this_stack(company: Company, tmp_path: Path) -> None:
    before = len(logged(company))
    _, evidence = await played(stack_of(company), "price-variance-small", tmp_path, nothing)
    again = list(logged(company).values())[before:]
    for one in asked(evidence):
        stored = evidence.blobs[one["input_digest"]]
        assert len([entry for entry in again if entry.get("input") == stored]) == 2, "asked once, and replayed once"


@pytest.mark.parametrize(
    "changes",
    [{"revision": "ap-next"}, {"controller_above": dict.fromkeys(("CHF", "EUR", "GBP", "USD"), "1.00")}],
    ids=["another revision", "another answer"],
)
async def test_a_policy_changed_between_a_case_and_its_replay_is_found(
    company: Company, tmp_path: Path, changes: dict[str, Any]
) -> None:
    with own_policies(company, tmp_path) as policies:

        async def edit() -> None:
            numbers(policies, **changes)
            await until_in_force(stack_of(company), **changes)

        verdict, _ = await played(stack_of(company), "price-variance-small", tmp_path / "runs", edit)
    assert failed(verdict) == {"policy-replays"}
    assert not verdict.passed
