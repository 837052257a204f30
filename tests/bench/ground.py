"""What the figures are measured on: one warm embedded stack, and `harness run` against it."""

import asyncio
import json
import resource
import sys
import time
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil
from tests.bench.spent import cpu_seconds

from deskworld.stack.embedded import started
from deskworld.values.stack import Stack

CAMPAIGN_SECONDS = 600.0


class NotMeasured(Exception):
    """The figure has no value; the message says why."""


@dataclass(frozen=True, slots=True)
class Played:
    """One campaign: what it printed, and what it cost from outside."""

    campaign: dict[str, Any]
    wall_seconds: float
    harness_cpu_seconds: float
    stack_cpu_seconds: float

    def seconds(self, scenario: str) -> dict[str, float]:
        found: dict[str, float] = self.campaign["scenarios"][scenario]["seconds"]
        return found


@dataclass(frozen=True, slots=True)
class Ground:
    stack: Stack
    up_seconds: float
    folder: Path
    played: dict[str, Played] = field(default_factory=dict)

    async def play(self, *flags: str) -> Played:
        """Plays each set of flags once, so that figures can share a campaign. Raises NotMeasured unless all passed."""
        key = " ".join(flags)
        if key not in self.played:
            self.played[key] = await self._play(flags)
        return self.played[key]

    async def _play(self, flags: tuple[str, ...]) -> Played:
        harness = Path(sys.executable).parent / "harness"
        file = Path(self.stack.folder or "") / "stack.json"
        command: list[str | Path] = [harness, "run", "--stack", file, "--runs", self.folder, "--json", *flags]
        before, stack_before, began = _children_cpu(), self._stack_cpu(), time.monotonic()
        process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE)
        out, err = await asyncio.wait_for(process.communicate(), CAMPAIGN_SECONDS)
        wall = time.monotonic() - began
        try:
            campaign = json.loads(out)
        except ValueError:
            raise NotMeasured(f"harness run {' '.join(flags)}: {_last(err) or process.returncode}") from None
        if not campaign["runs"] or campaign["passed"] != campaign["runs"]:
            raise NotMeasured(f"harness run {' '.join(flags)}: {campaign['passed']} of {campaign['runs']} passed")
        return Played(campaign, wall, _children_cpu() - before, self._stack_cpu() - stack_before)

    def _stack_cpu(self) -> float:
        """CPU seconds of the stack's processes until now."""
        supervisor = psutil.Process(self.stack.pid)
        return sum(cpu_seconds(one) for one in (supervisor, *supervisor.children(recursive=True)))


@asynccontextmanager
async def ground() -> AsyncIterator[Ground]:
    """The first start fills the caches; the second one is warm, and is measured."""
    async with started("bench-cold"):
        pass
    began = time.monotonic()
    with TemporaryDirectory(prefix="deskworld-bench-") as folder:
        async with started("bench") as stack:
            yield Ground(stack, time.monotonic() - began, Path(folder))


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _last(words: bytes) -> str:
    lines = words.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else ""
