"""Whether a stack that has worked on thousands of cases works as it did on the first: time per case, and memory.

By itself, for it takes minutes: `python -m tests.bench --only growth`, or `python -m tests.bench.growth --cases 600`
for a slice. Memory is of the stack and the harness together (PSS: a page shared by n processes counts once).
"""

import argparse
import asyncio
import sys
from collections.abc import Sequence

import psutil
from tests.bench.ground import Ground, Played, ground
from tests.bench.result import Result

CASES = 5_000
LEGS = 10
SITUATION = "price-variance-small"
IN_FLIGHT = 64
MORE = 10.0
LOOK_SECONDS = 0.5
MB = 1 << 20


async def five_thousand(ground: Ground) -> list[Result]:
    return await grown(ground, CASES)


async def grown(ground: Ground, cases: int) -> list[Result]:
    """Legs of equal length on one stack. The first warms up and counts for nothing; a leg's time is that of its median
    case, since what else the machine does falls on some cases and not on all."""
    each = max(10, cases // LEGS)
    await leg(ground, "warm", each)
    before = memory()
    legs = [await leg(ground, f"growth-{number}", each) for number in range(1, LEGS + 1)]
    after = memory()
    times = [1000 * one.seconds(SITUATION)["p50"] for one in legs]
    first, last = sum(times[:3]) / 3, sum(times[-3:]) / 3
    peak = await peak_of(ground)
    rest = memory()
    return [
        Result(f"case 1 to {3 * each}, p50", round(first, 1), "ms a case"),
        Result(f"case {(LEGS - 3) * each + 1} to {LEGS * each}, p50", round(last, 1), "ms a case"),
        Result(f"time per case after {LEGS * each} cases", round(100 * (last / first - 1), 1), "% more", MORE),
        Result(f"memory kept, by {LEGS * each} cases", round((after - before) / MB, 1), "MB"),
        Result("memory kept, of a case", round((after - before) / 1024 / (LEGS * each), 2), "KB a case"),
        Result(f"memory of {IN_FLIGHT} cases in flight", round((peak - after) / MB / IN_FLIGHT, 2), "MB a case", 20),
        Result("memory kept of what was in flight", round((rest - after) / MB, 1), "MB"),
    ]


async def leg(ground: Ground, label: str, cases: int, *, parallel: int = 8) -> Played:
    return await ground.play(
        "--scenarios", SITUATION, "--repetitions", str(cases), "--parallel", str(parallel), "--label", label, "--shared"
    )


async def peak_of(ground: Ground) -> int:
    """The most memory that was in use while so many cases were played side by side, the harness's own included."""
    playing = asyncio.create_task(leg(ground, "in-flight", 4 * IN_FLIGHT, parallel=IN_FLIGHT))
    most = memory()
    while not playing.done():
        await asyncio.wait({playing}, timeout=LOOK_SECONDS)
        most = max(most, memory())
    await playing
    return most


def memory() -> int:
    """Of every process that this one started, in bytes."""
    return sum(own_memory(one) for one in psutil.Process().children(recursive=True))


def own_memory(process: psutil.Process) -> int:
    """None of one that has ended meanwhile."""
    try:
        told = process.memory_full_info()
    except psutil.Error:
        return 0
    return int(getattr(told, "pss", 0) or told.rss)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.growth", description=__doc__)
    parser.add_argument("--cases", type=int, default=CASES)
    cases = parser.parse_args(arguments).cases

    async def measured() -> list[Result]:
        async with ground() as prepared:
            return await grown(prepared, cases)

    found = asyncio.run(measured())
    for one in found:
        goal = "" if one.goal is None else f"  (at most {one.goal:g}: {'met' if one.met else 'missed'})"
        print(f"{one.name}: {one.value:g} {one.unit}{goal}")
    return int(any(one.met is False for one in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
