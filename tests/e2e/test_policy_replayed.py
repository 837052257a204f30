"""The policy witness asks the policy of the stack under test again, so that one that answers otherwise is found."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.policy_edit import asked, copied, failed, numbers, played, until_in_force
from tests.support.processes import program
from tests.support.stack import ready

from deskworld.values.stack import Stack

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def policies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(tmp_path_factory.mktemp("policies"))


@pytest.fixture(scope="module")
def own_stack(policies: Path) -> Iterator[Stack]:
    """An embedded stack that reads the copy."""
    with program(["deskworld_embedded", "--name", "replay"], {"DESKWORLD_POLICIES": str(policies)}) as started:
        yield Stack.model_validate(ready(started))


async def test_the_same_policy_gives_the_same_answers_each_under_an_id_of_its_own(
    own_stack: Stack, tmp_path: Path
) -> None:
    async def nothing() -> None:
        pass

    verdict, evidence = await played(own_stack, "buyer-denies", tmp_path, nothing)
    assert failed(verdict) == set()
    ids = [str(uuid.UUID(one["policy_decision_id"])) for one in asked(evidence)]
    assert len(ids) == len(set(ids)) >= 2


async def test_a_policy_of_another_revision_is_found(own_stack: Stack, policies: Path, tmp_path: Path) -> None:
    async def edit() -> None:
        numbers(policies, revision="ap-next")
        await until_in_force(own_stack, revision="ap-next")

    verdict, _ = await played(own_stack, "price-variance-small", tmp_path, edit)
    assert failed(verdict) == {"policy-replays"}
    assert not verdict.passed


async def test_a_policy_that_would_now_ask_somebody_else_is_found_though_it_calls_itself_the_same(
    own_stack: Stack, policies: Path, tmp_path: Path
) -> None:
    async def edit() -> None:
        lower = dict.fromkeys(("CHF", "EUR", "GBP", "USD"), "1.00")
        numbers(policies, controller_above=lower)
        await until_in_force(own_stack, controller_above=lower)

    verdict, evidence = await played(own_stack, "price-variance-small", tmp_path, edit)
    assert failed(verdict) == {"policy-replays"}
    assert [one.replayed["role"] for one in evidence.policy or () if one.replayed and one.policy == "ap.routing"] == [
        "controller"
    ]
