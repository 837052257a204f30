"""`make soak`, the half that asks, at the desk: schemathesis at its three doors, all phases, all checks, from one seed.

The doors are those of a company of real programs. A token ends after a quarter of an hour, so the examples come in
portions, each with a seed and a token of its own.
"""

import asyncio
import sys
from collections.abc import Sequence

from tests.soak.saying import flags, say
from tests.support.desk import company_of_real_programs
from tests.support.fuzzed_desk import NAMES, Name, fuzzed_door, left_as_it_was
from tests.support.fuzzing import fuzz

PORTION = 20
WITHIN = 800.0


def main(arguments: Sequence[str]) -> int:
    parser = flags("desk_doors", __doc__)
    parser.add_argument("--examples", type=int, default=40, help="of each route, and of each walk from route to route")
    parser.add_argument("--door", choices=NAMES, action="append", help="may be given often")
    chosen = parser.parse_args(arguments)
    return asyncio.run(soak(chosen.door or list(NAMES), chosen.examples, chosen.seed))


async def soak(doors: Sequence[Name], examples: int, seed: int) -> int:
    """1 when a door answered otherwise than it says."""
    ended = 0
    async with company_of_real_programs() as company:
        for name in doors:
            for portion, already in enumerate(range(0, examples, PORTION)):
                door, some = await fuzzed_door(company, name), min(PORTION, examples - already)
                fuzzed = await fuzz(
                    door.address,
                    door.credential,
                    seed=seed + portion,
                    examples=some,
                    without=door.without,
                    known=door.known,
                    within=WITHIN,
                )
                await left_as_it_was(company)
                say(f"{name} door, seed {seed + portion}, {some} examples\n{fuzzed.said}")
                ended = ended or int(not fuzzed.found_nothing)
    return ended


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
