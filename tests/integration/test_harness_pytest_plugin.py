"""The pytest plugin, as a project of its own uses it: examples/pytest."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.processes import ROOT

EXAMPLE = ROOT / "examples" / "pytest"


def session(*arguments: str, state: Path) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DESKWORLD_")}
    found_nowhere = {"DESKWORLD_STATE": str(state), "DESKWORLD_PORT_DESK": "9"}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-c", "/dev/null", "--rootdir", EXAMPLE, EXAMPLE, *arguments],
        cwd=state,
        env={**kept, **found_nowhere, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.mark.slow
def test_a_project_plays_its_situations_on_an_embedded_stack(tmp_path: Path) -> None:
    done = session("-p", "no:cacheprovider", state=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 passed" in done.stdout


@pytest.mark.slow
def test_workers_play_side_by_side_on_a_stack_each(tmp_path: Path) -> None:
    only = ["-k", "settles or holds", "-v", "-n", "2"]
    done = session("-p", "no:cacheprovider", *only, state=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout
    assert {"[gw0]", "[gw1]"} <= set(done.stdout.split())


def test_a_session_that_finds_no_stack_says_how_to_get_one(tmp_path: Path) -> None:
    done = session("-p", "no:cacheprovider", "--deskworld-stack=found", state=tmp_path)
    assert done.returncode == 1
    assert "no stack is running; `harness up`" in done.stdout


def test_a_stack_file_that_is_none_is_named(tmp_path: Path) -> None:
    done = session("-p", "no:cacheprovider", "--deskworld-stack=nowhere.json", state=tmp_path)
    assert done.returncode == 1
    assert "stack file nowhere.json cannot be read" in done.stdout


def test_workers_that_would_share_a_stack_are_refused(tmp_path: Path) -> None:
    done = session("-p", "no:cacheprovider", "-n", "2", "--deskworld-stack=found", state=tmp_path)
    assert done.returncode == 1
    assert "would take each other's turns" in done.stdout


def test_a_category_is_chosen_by_its_mark(tmp_path: Path) -> None:
    done = session("-p", "no:cacheprovider", "--collect-only", "-q", "-m", "price", state=tmp_path)
    assert "[price-variance-small]" in done.stdout
    assert "[no-po]" not in done.stdout


def test_a_situation_that_is_none_ends_the_collection(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["deskworld.pytest_plugin"]\n')
    (tmp_path / "test_mine.py").write_text(
        'import pytest\n\n@pytest.mark.deskworld(names=["no-pox"])\ndef test_it(scenario): ...\n'
    )
    command = [sys.executable, "-m", "pytest", "-c", "/dev/null", "--rootdir", tmp_path, tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0
    assert "no-pox" in done.stdout + done.stderr
