"""What is missing in the stack stands in the desk's health, in words; nothing is restarted for it, and it passes."""

import json

import pytest
from tests.compose.conftest import Company, run, until_unwell

MISSING = {
    "policy": {"policy": "the policy of ap gives no decision"},
    "mail": {"mailbox": "nobody listens to the mailbox", "submission": "mail server mail:5587"},
    "erp": {"erp": "the ERP cannot be had"},
}


@pytest.mark.parametrize("service", MISSING)
def test_a_part_that_is_missing_is_named_and_nothing_else_restarts(company: Company, service: str) -> None:
    until_unwell(company, set())
    before = started(company)
    company.compose("kill", "-s", "KILL", service)
    company.compose("stop", service)
    try:
        wrong = until_unwell(company, set(MISSING[service]))
        for part, words in MISSING[service].items():
            # who asks for the name of a container that is gone may wait for longer than health does
            assert wrong[part].startswith((words, "no answer within "))
    finally:
        company.compose("start", service)
    until_unwell(company, set())
    after = started(company)
    assert {one for one in before if before[one] != after[one]} == {service}


def started(company: Company) -> dict[str, str]:
    """When the main process of each container began."""
    names = [json.loads(line) for line in company.compose("ps", "--format", "json").splitlines()]
    return {
        one["Service"]: run("docker", "inspect", "--format", "{{.State.StartedAt}}", one["ID"]).strip() for one in names
    }
