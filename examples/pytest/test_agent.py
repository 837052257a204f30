"""A project's own gate on an agent: `pytest examples/pytest --deskworld-stack=containers`."""

import json
import subprocess
from pathlib import Path

import pytest

from deskworld.values.stack import Stack


@pytest.mark.parametrize("scenario", ["price-variance-small", "no-po"])
def test_the_agent_settles_a_situation_as_it_should(stack_file: Path, tmp_path: Path, scenario: str) -> None:
    command = ["harness", "run", "--stack", stack_file, "--agent", "playbook", "--scenarios", scenario, "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["passed"] == 1


def test_every_test_of_a_session_works_on_one_stack(stack: Stack, stack_file: Path) -> None:
    assert Stack.model_validate_json(stack_file.read_text()) == stack
