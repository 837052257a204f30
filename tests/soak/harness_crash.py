"""Kills the harness itself with SIGKILL at points drawn from a seed, goes on with `--resume`, and compares the verdicts
with those of a campaign that nobody killed."""

import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random

from tests.soak.saying import flags, say
from tests.support.cut_off_runs import ended, killed_and_resumed, newest, outcomes, start

from deskworld_kit.clock import monotonic

REPETITIONS = 3
CASES = ("price-variance-small", "duplicate", "no-po", "bank-change-fraud", "buyer-denies")
ARGUMENTS = ["--agent", "oracle", "--rules", "off", "--parallel", "3", "--repetitions", str(REPETITIONS),
             "--scenarios", ",".join(CASES), "--label", "soak-harness"]  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    parser = flags("harness_crash", __doc__)
    parser.add_argument("--kills", type=int, default=10)
    given = parser.parse_args(arguments)
    return asyncio.run(soak(given.kills, given.seed))


async def soak(kills: int, seed: int) -> int:
    since, draw, wrong = monotonic(), Random(seed), 0
    with tempfile.TemporaryDirectory() as folder:
        runs = Path(folder)
        ended(start(runs, ARGUMENTS))
        whole = outcomes(newest(runs))
        for number in range(1, kills + 1):
            found, kept = await killed_and_resumed(runs, ARGUMENTS, cases=len(whole), draw=draw)
            same = outcomes(found) == whole
            wrong += not same
            say(f"  {number}: {kept} of {len(whole)} kept, {'the same verdicts' if same else 'WRONG: other verdicts'}")
    say(f"seed {seed}: {kills} killed and resumed in {monotonic() - since:.0f} s, {wrong} with other verdicts")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
