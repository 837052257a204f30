"""The stack that a test session plays on: the one that DESKWORLD_STACK names, or an embedded one of its own."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.processes import Program, program

START_SECONDS = 180.0
"""A first start also makes the database's template."""

Stack = dict[str, Any]
"""The stack file's contents, as docs/doors.md has them."""


def ready(started: Program) -> Stack:
    """What it says when it is up; fails the test with its own reason when it cannot come up."""
    said = started.says(within=START_SECONDS)
    if said["event"] != "ready":
        pytest.fail(f"the embedded stack: {said['part']}: {said['reason']}; {said['next']}", pytrace=False)
    contents: Stack = said["stack"]
    return contents


@contextmanager
def embedded(*arguments: str) -> Iterator[tuple[Program, Stack]]:
    """A stack of one's own, gone with everything it made when the block ends."""
    with program(["deskworld_embedded", *arguments]) as started:
        yield started, ready(started)


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    """Started by the first test that asks for it, and stopped after the last test of the session."""
    if given := os.environ.get("DESKWORLD_STACK"):
        yield json.loads(Path(given).read_text())
        return
    with embedded("--name", "tests") as (_, contents):
        yield contents
