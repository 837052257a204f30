"""`make compose-soak`: the company of containers under load, kills and restarts. Nothing may be lost or come twice.

A stack of its own is brought up on free ports and is gone afterwards; `--running` takes the one of this machine.
`--slice` is the part of it that a merge can wait for. Everything drawn comes from the seed, which is printed.
"""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from random import Random

from tests.soak.compose.engine import own, running
from tests.soak.compose.proofs import Soak
from tests.soak.compose.watching import watching

from deskworld.errors import ExitCode, HarnessError


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    code: int = ExitCode.BROKEN
    try:
        code = asyncio.run(_soak(options))
    except* HarnessError as group:
        for error in _leaves(group):
            sys.stderr.write(f"broke: {error}\n")
    return code


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.soak.compose", description=__doc__)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--kills", type=int, default=16, help="how many main processes are killed")
    parser.add_argument("--parallel", type=int, default=64, help="cases side by side")
    parser.add_argument("--repetitions", type=int, default=32, help="of the catalogue, in each campaign")
    parser.add_argument("--letters", type=int, default=600, help="handed in while the mail server is killed")
    parser.add_argument("--running", action="store_true", help="on the compose stack that is there, which stays")
    parser.add_argument("--slice", action="store_true", help="one campaign, three kills, and the letters")
    return parser.parse_args(arguments)


async def _soak(options: argparse.Namespace) -> int:
    sys.stdout.write(f"seed {options.seed}\n")
    async with AsyncExitStack() as opened:
        engine = await (running() if options.running else opened.enter_async_context(own()))
        watch = await opened.enter_async_context(watching(engine.stack))
        soak = Soak(engine, watch, Random(options.seed), options.parallel, options.repetitions)
        if options.slice:
            await soak.short()
        else:
            await soak.full(kills=options.kills, letters=options.letters)
        return soak.result()


def _leaves(group: BaseExceptionGroup[HarnessError]) -> list[HarnessError]:
    found: list[HarnessError] = []
    for error in group.exceptions:
        found += _leaves(error) if isinstance(error, BaseExceptionGroup) else [error]
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
