"""Grading stored runs again."""

import os
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.text import Text

from deskworld import bundle, rescoring
from deskworld.commands import worlds
from deskworld.doors import clock
from deskworld.errors import ExitCode
from deskworld.report.plain import plain
from deskworld.values.rescoring import Rescoring
from deskworld.values.verdict import GRADING


def rescore(folder: Path, processes: int | None, *, out: Console, json_only: bool) -> int:
    """0 where nothing moved, 1 where something did. Nothing is written: a closed bundle stays as it is."""
    started = clock.monotonic()
    stored = bundle.read_bundle(folder)
    world = partial(worlds.named, str(stored.manifest["world"]))
    found = rescoring.rescored(stored, world, processes=processes or os.cpu_count() or 1)
    told = Rescoring(
        schema="deskworld/rescoring/1",
        bundle=str(folder),
        grading=GRADING,
        gradings=found.gradings,
        runs=found.runs,
        passed_before=found.passed_before,
        passed_now=found.passed_now,
        moved=tuple(found.moved),
    )
    if json_only:
        out.file.write(told.model_dump_json(by_alias=True) + "\n")
    else:
        _print(told, clock.monotonic() - started, out)
    return ExitCode.GATE_MISSED if told.moved else ExitCode.PASS


def _print(told: Rescoring, seconds: float, out: Console) -> None:
    for one in told.moved:
        out.print(Text(f"{one.scenario} seed {one.seed}", style="bold"))
        for what in one.what:
            out.print(Text(f"  {plain(what)}"), soft_wrap=True)
    before = ", ".join(f"{count} by {version}" for version, count in sorted(told.gradings.items()))
    out.print(
        f"{told.runs} runs graded again by grading {told.grading} (before: {before}) in {seconds:.1f} s: "
        f"{len(told.moved)} moved, passed {told.passed_before} → {told.passed_now}",
        highlight=False,
        soft_wrap=True,
    )
