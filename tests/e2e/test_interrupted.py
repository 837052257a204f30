"""A campaign that is interrupted or killed: what was done is kept, nothing is left running, and it can go on."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import psutil
import pytest
from tests.support.cut_off_runs import ended, killed_and_resumed, newest, outcomes, start

from deskworld import bundle

pytestmark = pytest.mark.e2e
HARNESS = [sys.executable, "-c", "from deskworld.cli import main; main()", "run", "--verbose", "--agent", "oracle"]
SECONDS = 60


@contextmanager
def running(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A campaign of many cases that has just ended its first one."""
    process = subprocess.Popen(
        [*HARNESS, "--scenarios", "price-variance-small,duplicate", "--repetitions", "300"],
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
        assert first.startswith("1/600 pass"), first
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


ARGUMENTS = ["--agent", "oracle", "--parallel", "2", "--repetitions", "4", "--scenarios", "duplicate,bank-change-fraud"]


async def test_a_killed_campaign_goes_on_and_ends_with_the_verdicts_of_one_that_never_was(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    for runs in (whole, killed):
        runs.mkdir()
    ended(start(whole, ARGUMENTS))
    expected = outcomes(newest(whole))
    found, kept = await killed_and_resumed(killed, ARGUMENTS, cases=len(expected), draw=Random(1))
    assert 0 < kept < len(expected)
    assert outcomes(found) == expected
