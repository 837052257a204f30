"""How long it takes to grade 10,000 stored runs again: real cases of the catalogue, each stored many times."""

import asyncio
import itertools
import json
import sys
import time
from asyncio.subprocess import PIPE
from pathlib import Path

from tests.bench.ground import Ground, NotMeasured
from tests.bench.result import Result

from deskworld import bundle
from deskworld.doors import clock

RUNS = 10_000
SECONDS = 600.0


async def stored_runs(ground: Ground) -> list[Result]:
    played = await ground.play("--agent", "oracle", "--rules", "off", "--repetitions", "2")
    folder = multiplied(Path(played.campaign["bundle"]), ground.folder, RUNS)
    began = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        Path(sys.executable).parent / "harness", "rescore", folder, "--json", stdout=PIPE, stderr=PIPE
    )
    out, err = await asyncio.wait_for(process.communicate(), SECONDS)
    wall = time.monotonic() - began
    if process.returncode:
        raise NotMeasured(f"harness rescore ended with {process.returncode}: {err.decode(errors='replace')[-300:]}")
    told = json.loads(out)
    if told["runs"] != RUNS or told["moved"]:
        raise NotMeasured(f"{told['runs']} runs graded again, {len(told['moved'])} moved")
    return [Result(f"{RUNS} stored runs graded again", round(wall, 1), "s", 30)]


def multiplied(source: Path, runs: Path, times: int) -> Path:
    """A closed bundle of so many cases, those of `source` again and again."""
    stored = bundle.read_bundle(source)
    cases = [
        ((source / name).read_bytes(), case.verdict)
        for name, case in zip(stored.case_files, stored.cases(), strict=True)
    ]
    book = bundle.open_bundle(runs, {**stored.manifest, "label": "many"}, at=clock.now())
    for index, (content, verdict) in enumerate(itertools.islice(itertools.cycle(cases), times)):
        book.take_over(index, content, verdict)
    book.close("complete")
    return book.folder
