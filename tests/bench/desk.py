"""How many cases the desk settles by its rules alone, 32 side by side against the ERP, and where their time goes.

No harness and no agent: each client seeds a price variance, hears on the stream that a decision is asked for, posts it
as the order's buyer, and hears that the case is closed.
"""

import asyncio
import statistics
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import psutil
from tests.bench.ground import Ground, NotMeasured
from tests.bench.result import Result
from tests.bench.spent import cpu_seconds
from tests.support.desk import Company, company_of_real_programs, heard, situation

from deskworld_kit.clock import monotonic, now
from deskworld_kit.ids import new_id

SIDE_BY_SIDE = 32
WARM, CASES = 64, 320
WITHIN = 300.0
STEPS = (
    ("the ERP's event, until the case is open", "seeded", "case.opened"),
    ("rules: the ERP is read, both policies are asked", "case.opened", "rules.ran"),
    ("until the client knows whom to ask", "rules.ran", "asked"),
    ("the decision's post, until it is on record", "asked", "decision.made"),
    ("the command at the ERP, until its outcome is on record", "decision.made", "command.applied"),
    ("the ERP's event, until the case is closed", "command.applied", "case.moved"),
)


@dataclass(slots=True)
class Timeline:
    """When things happened to one case, in seconds; `moved` is set at each row."""

    at: dict[str, float] = field(default_factory=dict)
    asked: asyncio.Future[str] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    closed: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def row(self, row: Mapping[str, Any]) -> None:
        if row["kind"] != "case.moved" or row["data"]["to"] == "RESOLVED":
            self.at[row["kind"]] = datetime.fromisoformat(row["at"]).timestamp()
        if row["kind"] == "decision.requested" and not self.asked.done():
            self.at["asked"] = now().timestamp()
            self.asked.set_result(row["data"]["decision_id"])
        if row["kind"] == "case.moved" and row["data"]["to"] == "RESOLVED" and not self.closed.done():
            self.closed.set_result(None)


async def rules_cases(_ground: Ground) -> list[Result]:
    async with company_of_real_programs() as company:
        timelines: defaultdict[str, Timeline] = defaultdict(Timeline)
        async with heard(company) as stream:
            listening = asyncio.create_task(_listen(stream, timelines))
            try:
                async with asyncio.timeout(WITHIN):
                    await _settled(company, timelines, WARM)
                    processes = _processes(company)
                    before, began = {name: _cpu(name, one) for name, one in processes.items()}, monotonic()
                    cases = await _settled(company, timelines, CASES)
                    wall = monotonic() - began
            except TimeoutError:
                raise NotMeasured(f"awaited {CASES} cases for {WITHIN:.0f} s") from None
            finally:
                listening.cancel()
        used = {name: 1000 * (_cpu(name, one) - before[name]) / CASES for name, one in processes.items()}
    return [
        Result(f"rules cases through the desk, {SIDE_BY_SIDE} side by side", round(CASES / wall, 1), "cases a second"),
        Result("such a case from seed to close, p50", round(_middle(cases, "seeded", "case.moved"), 1), "ms"),
        *(Result(f"  {name}, p50", round(_middle(cases, first, last), 1), "ms") for name, first, last in STEPS),
        *(Result(f"  CPU of {name}", round(used[name], 1), "ms a case") for name in used),
    ]


async def _settled(company: Company, timelines: defaultdict[str, Timeline], number: int) -> list[Timeline]:
    """So many cases, from their seeds to their ends."""
    left, done = iter(range(number)), list[Timeline]()

    async def client() -> None:
        for _ in left:
            done.append(await _one(company, timelines))

    async with asyncio.TaskGroup() as group:
        for _ in range(SIDE_BY_SIDE):
            group.create_task(client())
    return done


async def _one(company: Company, timelines: defaultdict[str, Timeline]) -> Timeline:
    began = now().timestamp()
    seeded = await company.ask("erp-stage", "POST", "/stage/situations", json=situation(new_id()))
    if seeded.status_code != 201:
        raise NotMeasured(f"a seed was answered {seeded.status_code}: {seeded.text[:200]}")
    timeline = timelines[seeded.json()["exceptions"][0]["id"]]
    timeline.at["seeded"] = began
    decided = await company.decide(await timeline.asked, "anna.keller", verdict="approve")
    if decided.status_code != 200 or decided.json()["outcome"] != "applied":
        raise NotMeasured(f"a decision was answered {decided.status_code}: {decided.text[:200]}")
    await timeline.closed
    return timeline


async def _listen(stream: Any, timelines: defaultdict[str, Timeline]) -> None:
    async for kind, data in stream:
        if kind == "row" and data["case_id"] is not None:
            timelines[data["case_id"]].row(data["row"])


def _middle(cases: list[Timeline], first: str, last: str) -> float:
    return 1000 * statistics.median(one.at[last] - one.at[first] for one in cases)


def _processes(company: Company) -> dict[str, list[psutil.Process]]:
    named = {"the desk": company.desk.pid, "the ERP": company.erp.pid, "the policy server": company.policy.pid}
    found = {name: [psutil.Process(pid)] for name, pid in named.items()}
    folder = str(company.home)
    servers = [one for one in psutil.process_iter(["cmdline"]) if folder in " ".join(one.info["cmdline"] or ())]
    return {**found, "Postgres": servers, "the clients": [psutil.Process()]}


def _cpu(name: str, processes: list[psutil.Process]) -> float:
    """Seconds until now; of Postgres with its sessions."""
    sessions = [each for one in processes for each in one.children(recursive=True)] if name == "Postgres" else []
    return sum(map(cpu_seconds, [*processes, *sessions]))
