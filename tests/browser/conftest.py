"""The stacks that a browser is sent to: the one that DESKWORLD_STACK names; else an embedded one, and a compose one
where there is an engine."""

import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.compose.conftest import company
from tests.support.office import Office
from tests.support.stack import embedded

__all__ = ["company"]
NO_ENGINE = "no Docker engine answers here, so that there is no compose stack to look at"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "stack" in metafunc.fixturenames:
        kinds = ["given"] if os.environ.get("DESKWORLD_STACK") else ["embedded", "compose"]
        metafunc.parametrize("stack", kinds, indirect=True, scope="session")


@pytest.fixture(scope="session")
def stack(request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    if request.param == "given":
        yield json.loads(Path(os.environ["DESKWORLD_STACK"]).read_text())
    elif request.param == "embedded":
        with embedded("--name", "browser") as (_, contents):
            yield contents
    else:
        _check_engine()
        yield request.getfixturevalue("company").stack


def _check_engine() -> None:
    """Skips, and fails in CI, where an engine was promised."""
    docker = shutil.which("docker")
    if docker and subprocess.run([docker, "info"], capture_output=True, check=False, timeout=30).returncode == 0:
        return
    if os.environ.get("CI"):
        pytest.fail(NO_ENGINE, pytrace=False)
    pytest.skip(NO_ENGINE)


@pytest.fixture
async def office(stack: dict[str, Any]) -> AsyncIterator[Office]:
    async with httpx.AsyncClient(timeout=30, trust_env=False) as http:
        yield Office(stack, http)
