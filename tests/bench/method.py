"""The runs of the method, without a model: every situation twenty times, what befalls the whole stack five times, and
what bounds them: where the CPU goes, how idle the machine is, and what the same requests and mails would cost bare."""

import asyncio
import os
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil
from tests.bench import bare
from tests.bench.ground import Ground
from tests.bench.result import Result
from tests.bench.spent import cpu_seconds

from deskworld import bundle
from deskworld.stack.embedded import started
from deskworld_kit.http import client

FLAGS = ("--agent", "oracle", "--repetitions", "20", "--solo-repetitions", "5")
SLOW = "slow-erp-global"
WALL = 45
CPU = 120
FLOOR = 2.0
FLOOR_REQUESTS = 2_000
NAME_PREFIX = "dw-"


@dataclass(frozen=True, slots=True)
class Counted:
    """What the timelines and the books show of one campaign: `requests` is the least that there can have been."""

    runs: int
    requests: int
    mails: int
    slow_seconds: float


async def method(ground: Ground) -> list[Result]:
    """On a stack of its own: what befalls a whole stack is not played where somebody else's cases are open."""
    async with started("bench-method") as stack:
        return await measured(Ground(stack, ground.up_seconds, ground.folder))


async def measured(ground: Ground) -> list[Result]:
    before, began, idle = by_part(ground), time.monotonic(), psutil.cpu_times().idle
    played = await ground.play(*FLAGS)
    wall, cores = time.monotonic() - began, os.cpu_count() or 1
    spent = {part: seconds - before.get(part, 0.0) for part, seconds in by_part(ground).items()}
    spent["harness"] = played.harness_cpu_seconds
    idle = (psutil.cpu_times().idle - idle) / (wall * cores)
    found = counted(Path(played.campaign["bundle"]))
    cpu = 1000 * sum(spent.values()) / found.runs
    bare_ms = await bare_request()
    bound = found.requests * bare_ms / found.runs
    return [
        Result(f"{found.runs} runs, wall", round(played.campaign["wall_seconds"], 1), "s"),
        Result(
            f"{found.runs} runs without {SLOW}, wall",
            round(played.campaign["wall_seconds"] - found.slow_seconds, 1),
            "s",
            WALL,
        ),
        Result("run of the method, CPU in all", round(cpu, 1), "ms a case", CPU),
        *(
            Result(f"run of the method, CPU of {part}", round(1000 * seconds / found.runs, 1), "ms a case")
            for part, seconds in sorted(spent.items(), key=lambda one: -one[1])
        ),
        Result("share of the machine that was idle", round(100 * idle, 1), "%"),
        Result("requests that rows and books show", round(found.requests / found.runs, 1), "a case"),
        Result("mails", round(found.mails / found.runs, 2), "a case"),
        Result("a bare request, CPU of both sides", round(bare_ms, 2), "ms"),
        Result("those requests bare, CPU", round(bound, 1), "ms a case"),
        Result("run of the method, of that floor", round(cpu / bound, 1), "×", FLOOR),
    ]


def by_part(ground: Ground) -> dict[str, float]:
    """CPU seconds until now of the stack's processes, by what they are; the database's many in one."""
    supervisor = psutil.Process(ground.stack.pid)
    found: defaultdict[str, float] = defaultdict(float)
    for process in (supervisor, *supervisor.children(recursive=True)):
        try:
            seconds, name = cpu_seconds(process), process.name()
        except psutil.Error:
            continue
        part = "supervisor" if process == supervisor else part_of(name)
        found[part] += seconds
    return dict(found)


def part_of(name: str) -> str:
    """The embedded stack names each process that it forks after its part."""
    return "postgres" if name.startswith("postgres") else name.removeprefix(NAME_PREFIX)


def counted(folder: Path) -> Counted:
    """A request is behind: a tool called (and the policy asked, and the ERP read for it), a policy asked, an event
    sent, a command, a decision, an answer; and around each case its seed and what is collected."""
    runs = requests = mails = 0
    slow = 0.0
    for case in bundle.read_bundle(folder).cases():
        runs += 1
        slow += case.verdict.seconds if case.verdict.scenario == SLOW else 0.0
        kinds = [row["kind"] for one in (case.evidence.timelines if case.evidence else ()) for row in one.rows]
        requests += sum(requests_of(kinds))
        mails += sum(kind in {"mail.sent", "mail.received"} for kind in kinds)
    return Counted(runs, requests, mails, slow)


BEHIND: Mapping[str, int] = {
    "event.received": 1,
    "event.ignored": 1,
    "policy.asked": 1,
    "rules.ran": 1,
    "turn.started": 1,
    "turn.ended": 1,
    "tool.called": 2,
    "decision.made": 1,
    "command.applied": 1,
    "command.refused": 1,
    "question.answered": 1,
}
"""Requests that a row of this kind is never written without: of a tool's call, the agent's and one behind it."""
AROUND = 4
"""Seeding, the case's view, and the witnesses of ERP and desk: of every case."""


def requests_of(kinds: list[str]) -> Iterator[int]:
    yield AROUND
    yield from (BEHIND.get(kind, 0) for kind in kinds)


async def bare_request() -> float:
    """Milliseconds of CPU, client and server together, of a route that does nothing."""
    async with bare.served() as address, client(base_url=address) as http:
        await bare.ask(http, 200)
        [server] = [
            one for one in psutil.Process().children() if "tests.bench.bare" in one.cmdline() and one.is_running()
        ]
        before, cpu = sum(server.cpu_times()[:2]), time.process_time()
        await asyncio.gather(*(bare.ask(http, FLOOR_REQUESTS // 16) for _ in range(16)))
        return 1000 * (sum(server.cpu_times()[:2]) - before + time.process_time() - cpu) / FLOOR_REQUESTS
