"""`make bench`: measures, prints a table, writes build/bench.json. Status 1 when a figure could not be measured."""

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from tests.bench.figures import FIGURES, LONG, Measure
from tests.bench.ground import Ground, ground
from tests.bench.result import Result, document

from deskworld.errors import HarnessError

TARGET = Path("build/bench.json")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--only", action="append", choices=FIGURES, help="may be given often")
    parser.add_argument("--all", action="store_true", help=f"also what takes minutes: {', '.join(sorted(LONG))}")
    flags = parser.parse_args(arguments)
    chosen = flags.only or [name for name in FIGURES if flags.all or name not in LONG]
    try:
        results = asyncio.run(measured({name: FIGURES[name] for name in chosen}))
    except HarnessError as error:
        sys.stderr.write(f"nothing was measured: {error}\n")
        return 3
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(json.dumps(document(results), indent=1, ensure_ascii=False) + "\n")
    Console(width=120).print(table(results))
    print(f"written to {TARGET}")
    return int(any(result.value is None for result in results))


async def measured(figures: Mapping[str, Measure]) -> list[Result]:
    async with ground() as prepared:
        return [result for name, measure in figures.items() for result in await one(name, measure, prepared)]


async def one(name: str, measure: Measure, prepared: Ground) -> list[Result]:
    """A figure that cannot be had is a line that says so, and no goal met."""
    sys.stderr.write(f"measuring {name}\n")
    try:
        return await measure(prepared)
    except Exception as error:  # noqa: BLE001 - the one place that records; the others are still to be measured
        return [Result(name, None, "", why=f"{type(error).__name__}: {error}")]


def table(results: Sequence[Result]) -> Table:
    drawn = Table("figure", "value", "unit", "goal", "")
    drawn.columns[1].justify = drawn.columns[3].justify = "right"
    words = {True: "[green]met[/]", False: "[red]missed[/]", None: ""}
    for result in results:
        value = "–" if result.value is None else f"{result.value:g}"
        goal = "" if result.goal is None else f"{'≥' if result.at_least else '≤'} {result.goal:g}"
        drawn.add_row(result.name, value, result.unit, goal, result.why or words[result.met])
    return drawn


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
