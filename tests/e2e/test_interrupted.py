"""A campaign that is interrupted or killed: what was done is kept, and nothing is left running."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from deskworld import bundle

pytestmark = pytest.mark.e2e
HARNESS = [sys.executable, "-c", "from deskworld.cli import main; main()", "run", "--verbose", "--agent", "oracle"]
SECONDS = 60


@contextmanager
def running(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A campaign of many cases that has just ended its first one."""
    process = subprocess.Popen(
        [*HARNESS, "--repetitions", "200"],
        cwd=folder,
        # no stack of anybody else's is to be found: not the environment's, not a running one, not a compose stack
        env={**os.environ, "DESKWORLD_STATE": str(folder / "state"), "DESKWORLD_STACK": "", "DESKWORLD_PORT_DESK": "9"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        first = process.stderr.readline()
        assert first.startswith("1/1000 pass"), first
        yield process
    finally:
        process.kill()
        process.communicate(timeout=SECONDS)


def test_ctrl_c_closes_the_bundle_says_so_and_stops_the_stack(tmp_path: Path) -> None:
    with running(tmp_path) as process:
        children = psutil.Process(process.pid).children(recursive=True)
        assert children
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == 3
    assert "interrupted" in errors
    assert psutil.wait_procs(children, timeout=10)[1] == []
    [folder] = (tmp_path / "runs").iterdir()
    read = bundle.read_bundle(folder)
    assert read.status == "interrupted"
    assert list(read.cases())


def test_a_killed_harness_leaves_no_process_behind(tmp_path: Path) -> None:
    with running(tmp_path) as process:
        children = psutil.Process(process.pid).children(recursive=True)
        assert children
        process.kill()
        process.communicate(timeout=SECONDS)
    assert psutil.wait_procs(children, timeout=20)[1] == []
