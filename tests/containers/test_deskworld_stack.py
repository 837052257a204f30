"""The stack of containers for one test session. Needs Docker and the images; `make test` runs without either."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.repository import ROOT

from deskworld import health
from deskworld.errors import StackUnavailable
from deskworld.stack import compose
from deskworld.stack.containers import OURS, DeskworldStack


def left(project: str) -> set[str]:
    """Containers, volumes and networks of a project."""
    label = f"label=com.docker.compose.project={project}"
    kinds = (["ps", "-aq"], ["volume", "ls", "-q"], ["network", "ls", "-q"])
    done = [subprocess.run(["docker", *kind, "--filter", label], capture_output=True, check=True) for kind in kinds]
    return {line for one in done for line in one.stdout.decode().split()}


async def test_a_stack_of_its_own_is_well_with_its_own_secrets_and_leaves_nothing() -> None:
    with DeskworldStack(ROOT) as it:
        stack = it.stack
        project = stack.id.removeprefix("compose-")
        found, _ = await compose.running(it.settings)
        assert found == stack
        assert stack.secrets.people != "deskworld-loopback"
        assert project.startswith(f"{OURS}-{os.getpid()}-")
        assert left(project)
        examined = await health.examine(stack, ROOT / "policies")
        assert [one for one in examined if not one.well] == []
    assert left(project) == set()


def test_what_a_killed_session_left_is_ended_by_the_next() -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    project = f"{OURS}-{gone.pid}-abcdef"
    label = f"com.docker.compose.project={project}"
    volume = ["docker", "volume", "create", "--label", label, "--label", "com.docker.compose.volume=identity"]
    subprocess.run([*volume, f"{project}_identity"], check=True, capture_output=True)
    assert left(project)
    DeskworldStack(ROOT).end_leftovers()
    assert left(project) == set()


def test_a_folder_without_a_compose_file_is_no_checkout(tmp_path: Path) -> None:
    with pytest.raises(StackUnavailable, match="holds no compose file"):
        DeskworldStack(tmp_path)


def test_a_project_of_its_own_plays_on_containers(tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    example = ROOT / "examples" / "pytest"
    own = ["-c", "/dev/null", "--rootdir", example, "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *own, "--deskworld-stack=containers", example],
        cwd=tmp_path,
        env={**os.environ, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 passed" in done.stdout
