"""`make soak`, the half that asks: schemathesis at both of the ERP's doors, all phases, all checks, from one seed."""

import asyncio
import sys
from collections.abc import Sequence

from tests.soak.saying import flags, say
from tests.support.erp import new_database, postgres, run_sql, running, until_it_answers
from tests.support.fuzzed_erp import Name, fuzzed_door
from tests.support.fuzzing import fuzz

from deskworld_kit.gate import Backoff

HOURS = 6 * 3600.0
DOORS: tuple[Name, ...] = ("office", "stage")


def main(arguments: Sequence[str]) -> int:
    parser = flags("erp_doors", __doc__)
    parser.add_argument("--examples", type=int, default=50, help="of each route, and of each walk from route to route")
    parser.add_argument("--door", choices=DOORS, action="append", help="may be given often")
    chosen = parser.parse_args(arguments)
    return asyncio.run(soak(chosen.door or list(DOORS), chosen.examples, chosen.seed))


async def soak(doors: Sequence[Name], examples: int, seed: int) -> int:
    """1 when a door answered otherwise than it says."""
    ended = 0
    with postgres() as home:
        await until_it_answers(home)
        await run_sql(home, "CREATE ROLE erp_service LOGIN")
        for name in doors:
            await new_database(home, f"erp_{name}")
            async with (
                running(home, f"erp_{name}", backoff=Backoff()) as erp,
                fuzzed_door(erp, name) as (address, credential),
            ):
                fuzzed = await fuzz(address, credential, seed=seed, examples=examples, within=HOURS)
            say(f"{name} door, seed {seed}, {examples} examples\n{fuzzed.said}")
            ended = ended or int(not fuzzed.found_nothing)
    return ended


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
