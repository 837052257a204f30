"""`make both-stacks`: every scenario on an embedded and on a compose stack. Status 1 when anything differs, or when
fewer pairs were compared than wanted; 3 when it could not be played."""

import argparse
import asyncio
import math
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from tests.both_stacks import playing, showing
from tests.both_stacks.stacks import RUNNING, both

from deskworld import catalogue
from deskworld.errors import HarnessError, UsageWrong
from deskworld.values.campaign import Settings
from deskworld.worlds import WORLDS

PAIRS = 100
ALONE = {"price-variance-small": "a rules case", "no-po": "a mail case"}
BUNDLES = Path("build/both-stacks")


def main(arguments: Sequence[str]) -> int:
    # a table is not to be cut where the output is no terminal
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 130)
    chosen = _parser().parse_args(arguments)
    try:
        return asyncio.run(compared(chosen, console))
    except HarnessError as error:
        sys.stderr.write(f"not compared: {error}\n{error.next_step}\n")
        return 3
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 3


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.both_stacks", description=__doc__)
    parser.add_argument("--pairs", type=_count, help=f"fewer are a failure (default: {PAIRS}, or all of --repetitions)")
    parser.add_argument("--repetitions", type=_count, help="seeds of each scenario (default: enough for --pairs)")
    parser.add_argument("--seed", type=int, default=Settings().seed, help="the first one")
    parser.add_argument("--without", action="append", default=[], metavar="SCENARIO", help="may be given often")
    parser.add_argument("--alone", type=int, default=20, metavar="N", help="cases timed one at a time; 0: none")
    parser.add_argument("--embedded", metavar="FILE", help="a stack file (default: a stack of its own)")
    parser.add_argument(
        "--compose", metavar="FILE", help=f"a stack file, or {RUNNING!r} for the one that runs here (default: its own)"
    )
    parser.add_argument("--runs", type=Path, default=BUNDLES, help="where the bundles go")
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no count from 1")
    return int(text)


def planned(pairs: int | None, repetitions: int | None, scenarios: int) -> tuple[int, int]:
    """Pairs that must be compared, and repetitions that make them."""
    a_repetition = scenarios * len(playing.AGENTS) * len(playing.RULES)
    if repetitions is not None:
        return pairs or repetitions * a_repetition, repetitions
    wanted = pairs or PAIRS
    return wanted, math.ceil(wanted / a_repetition)


async def compared(chosen: argparse.Namespace, console: Console) -> int:
    """The exit code. Raises HarnessError."""
    known = catalogue.load_all(WORLDS[Settings().world].scenarios)
    if unknown := set(chosen.without) - set(known):
        raise UsageWrong(
            f"--without {', '.join(sorted(unknown))}: no such scenario", next_step="`harness list` has them"
        )
    known = {name: one for name, one in known.items() if name not in chosen.without}
    wanted, repetitions = planned(chosen.pairs, chosen.repetitions, len(known))
    plan = playing.Plan(playing.groups(known), repetitions, chosen.seed, chosen.runs)
    async with both(chosen.embedded, chosen.compose) as stacks:
        console.print(
            f"embedded {stacks.embedded.id}, compose {stacks.compose.id}, {repetitions} seeds from {plan.seed}"
        )
        played = [one async for one in playing.catalogue(stacks, plan, _tell)]
        console.print(showing.verdicts(played))
        code = _judged(played, wanted, console)
        if chosen.alone:
            found = {name: await playing.alone(stacks, name, chosen.alone, plan) for name in ALONE}
            console.print(showing.times(found, chosen.alone))
    return code


def _judged(played: Sequence[playing.Played], wanted: int, console: Console) -> int:
    found = [pair for one in played for pair in one.pairs]
    for line in showing.differences(found):
        console.print(line, markup=False, soft_wrap=True)
    verdicts = sum(not pair.verdicts for pair in found)
    timelines = sum(not pair.timelines for pair in found)
    console.print(f"{verdicts} of {len(found)} pairs with the same verdict")
    console.print(f"{timelines} of {len(found)} pairs with equal normalised timelines; wanted {wanted}")
    return int(verdicts < len(found) or timelines < len(found) or timelines < wanted)


def _tell(what: str) -> None:
    sys.stderr.write(f"playing {what}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
