"""A project's own gate on an agent: `pytest examples/pytest`, also with `-n 2` or `--deskworld-stack=containers`."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from deskworld.pytest_plugin import Play
from deskworld.values.stack import Stack
from deskworld_agent.door import OpenTurn


async def holds_everything(turn: OpenTurn) -> None:
    """An agent of one's own: it reads one record, and holds."""
    invoice = await turn.call("get_invoice")
    await turn.call("propose_resolution", action="hold", citations=list(invoice.ids), rationale="Unknown to me.")


@pytest.mark.deskworld(names=["price-variance-small", "no-po"])
def test_the_agent_settles_a_situation_as_it_should(play: Play, scenario: str) -> None:
    played = play(scenario)
    assert played.passed, played


def test_an_agent_that_holds_what_should_be_paid_does_not_pass(play: Play) -> None:
    played = play("price-variance-small", agent=holds_everything, rules="off")
    assert not played.verdict.family("correct")


def test_the_agent_meets_the_gates_of_the_catalogue(play: Play, assert_gates: Callable[..., None]) -> None:
    assert_gates([play("price-variance-small", seed=seed) for seed in (7, 8)], scripted=True)


def test_a_campaign_from_a_shell_works_on_the_stack_of_the_session(
    stack: Stack, stack_file: Path, tmp_path: Path
) -> None:
    harness = Path(sys.executable).with_name("harness")
    command = [harness, "run", "--stack", stack_file, "--agent", "playbook", "-s", "no-po", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert json.loads(done.stdout)["passed"] == 1, done.stdout + done.stderr
    assert json.loads(done.stdout)["stack"] == stack.id
