"""Playing a case oneself, and putting one on a stack to look at, from a shell with a pipe."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.stack import Stack

HARNESS = Path(sys.executable).parent / "harness"


@pytest.fixture(scope="module")
def file(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stack") / "stack.json"
    path.write_text(json.dumps(stack))
    return path


def harness(*words: Any, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [HARNESS, *map(str, words)],
        input=typed,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "COLUMNS": "400"},
    )


def test_a_decider_who_approves_lets_the_case_end_as_it_should(file: Path) -> None:
    done = harness("play", "price-variance-small", "--as", "decider", "--stack", file, typed="approve\n")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "approve, or decline and why" in done.stdout


def test_an_agent_at_the_terminal_that_does_nothing_does_not_pass(file: Path) -> None:
    done = harness("play", "price-variance-small", "--as", "agent", "--stack", file, typed="get_invoice\n\n")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "price-variance-small seed 7: failed" in done.stdout


def test_a_situation_is_put_on_a_stack_and_left_there(file: Path) -> None:
    done = harness("load", "no-po", "--stack", file)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "/workbench/cases/" in done.stdout
    assert "it is yours" in done.stdout


def test_nothing_to_load_and_too_much_are_refused(file: Path) -> None:
    for words in ((), ("no-po", "--company")):
        done = harness("load", *words, "--stack", file)
        assert done.returncode == 3
        assert "harness load no-po" in done.stderr
