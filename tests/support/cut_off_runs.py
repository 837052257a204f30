"""A campaign whose harness is killed and goes on, as whoever types `harness run --resume` sees it.

Each has an embedded stack of its own, which goes with it; the one that goes on starts another.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from deskworld import bundle
from deskworld.values.verdict import Verdict
from deskworld_kit.clock import pause

HARNESS = [sys.executable, "-c", "from deskworld.cli import main; main()", "run", "--verbose"]
SECONDS = 120


def start(runs: Path, arguments: Sequence[str]) -> subprocess.Popen[str]:
    """No stack of anybody else's is to be found: not the environment's, not a running one, not a compose stack."""
    return subprocess.Popen(
        [*HARNESS, "--runs", str(runs), *arguments],
        cwd=runs,
        env={**os.environ, "DESKWORLD_STATE": str(runs / ".state"), "DESKWORLD_STACK": "", "DESKWORLD_PORT_DESK": "9"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def killed(process: subprocess.Popen[str], *, after: int, seconds: float) -> None:
    """Once so many cases are told, and a moment later: a kill falls into whatever is being done then."""
    assert process.stderr is not None
    try:
        for _ in range(after):
            line = process.stderr.readline()
            assert line, "the campaign ended before it could be killed"
        await pause(seconds)
        process.send_signal(signal.SIGKILL)
    finally:
        process.kill()
        process.communicate(timeout=SECONDS)


def ended(process: subprocess.Popen[str]) -> None:
    said, complaints = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, said + complaints


def newest(runs: Path) -> Path:
    return max(
        (one for one in runs.iterdir() if one.name[0] != "."),
        key=lambda one: (one / "manifest.json").stat().st_mtime_ns,
    )


def outcome(verdict: Verdict) -> tuple[Any, ...]:
    """All that a verdict decides."""
    checks = sorted((check.family, check.name, check.passed) for check in verdict.checks)
    met = verdict.met.model_dump_json()
    return verdict.scenario, verdict.seed, verdict.passed, verdict.settled_by, verdict.action, met, checks


def outcomes(folder: Path) -> list[tuple[Any, ...]]:
    """Raises BundleFailed."""
    return [outcome(case.verdict) for case in bundle.read_bundle(folder).cases()]


async def killed_and_resumed(runs: Path, arguments: Sequence[str], *, cases: int, draw: Random) -> tuple[Path, int]:
    """The bundle at the end, and how many cases it took over; half of the time the one that goes on is killed, too."""
    at = draw.randrange(1, cases - 1)
    await killed(start(runs, arguments), after=at, seconds=draw.random() / 20)
    left = newest(runs)
    if draw.random() < 0.5:
        whole = len(bundle.cut_off(left).whole)
        if cases - whole > 2:
            # what was taken over is told as well
            more = draw.randrange(whole + 1, cases - 1)
            await killed(start(runs, ["--resume", str(left)]), after=more, seconds=draw.random() / 20)
            left = newest(runs)
    kept = len(bundle.cut_off(left).whole)
    ended(start(runs, ["--resume", str(left)]))
    return newest(runs), kept
