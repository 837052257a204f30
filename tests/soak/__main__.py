"""`make soak`, the half that plays: the oracle through every situation, again and again, on one stack of its own."""

import argparse
import asyncio
import math
import sys
from collections.abc import Sequence
from pathlib import Path

from deskworld.errors import HarnessError
from deskworld.stack.embedded import started

BUNDLES = Path("build/soak")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--repetitions", type=float, default=20, help="rounded up")
    try:
        return asyncio.run(soak(math.ceil(parser.parse_args(arguments).repetitions)))
    except HarnessError as error:
        sys.stderr.write(f"nothing was played: {error}\n")
        return 3


async def soak(repetitions: int) -> int:
    """The worst exit code of the campaigns; one that fails does not keep the next from being played."""
    async with started("soak") as stack:
        file = Path(stack.folder or "") / "stack.json"
        return max([await campaign(file, rules, repetitions) for rules in ("on", "off")])


async def campaign(stack: Path, rules: str, repetitions: int) -> int:
    harness = Path(sys.executable).parent / "harness"
    # shared: what waits for an answer is from the campaign before
    flags = ["--agent", "oracle", "--rules", rules, "--repetitions", str(repetitions), "--label", f"soak-{rules}"]
    flags += ["--shared"]
    process = await asyncio.create_subprocess_exec(harness, "run", "--stack", stack, "--runs", BUNDLES, *flags)
    return await process.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
