"""Programs under test as their starter sees them: what they say line by line, and what is left of them."""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from deskworld_kit import clock

ROOT = Path(__file__).parents[2]


class Program:
    """Its standard input is a pipe that ends when this test ends or says so."""

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the program
        self.process = subprocess.Popen(
            [sys.executable, "-m", *arguments],
            cwd=ROOT,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
        )

    def says(self, *, within: float) -> dict[str, Any]:
        """The next JSON line of its output."""
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], within)
        assert ready, f"said nothing within {within} s"
        line = self.process.stdout.readline()
        assert line, f"ended with {self.process.wait(20)}: {self.complaints()}"
        said: dict[str, Any] = json.loads(line)
        return said

    def complaints(self) -> str:
        self._complaints.seek(0)
        return self._complaints.read().decode(errors="replace")

    def let_go(self) -> None:
        """What the end of its starter looks like to it."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def ends(self, *, within: float) -> int:
        return self.process.wait(within)

    def close(self) -> None:
        """Ends it when that has not been done, and kills it when it does not end."""
        self.let_go()
        try:
            self.ends(within=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.ends(within=20)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._complaints.close()

    def family(self) -> list[psutil.Process]:
        process = psutil.Process(self.process.pid)
        return [process, *process.children(recursive=True)]


@contextmanager
def program(arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> Iterator[Program]:
    """Ended at the end."""
    started = Program(arguments, environment)
    try:
        yield started
    finally:
        started.close()


def all_gone(family: Sequence[psutil.Process], *, within: float) -> list[psutil.Process]:
    """Those that are still there after that time; a process that waits to be reaped is gone."""
    _, alive = psutil.wait_procs([process for process in family if is_alive(process)], timeout=within)
    return [process for process in alive if is_alive(process)]


def is_alive(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def status_of(folder: Path) -> Mapping[str, Any]:
    parts: Mapping[str, Any] = json.loads((folder / "status.json").read_text())["parts"]
    return parts


def restarted(folder: Path, part: str, *, than: int, within: float) -> Mapping[str, Any]:
    """The part's state once it is ready again with another process than `than`."""
    deadline = clock.monotonic() + within
    seen: Mapping[str, Any] = {}
    pause = select.poll()  # with nothing to poll it is a pause of milliseconds
    while clock.monotonic() < deadline:
        seen = status_of(folder)[part]
        if seen["state"] == "ready" and seen["pid"] != than:
            return seen
        pause.poll(20)
    raise AssertionError(f"{part} was not ready again within {within} s; last seen: {seen}")
