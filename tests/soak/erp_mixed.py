"""10,000 mixed commands on an ERP over a real Postgres: no deadlock, every effect once, one chain. Seeded."""

import asyncio
import sys
from collections.abc import Sequence
from random import Random

from tests.soak.saying import flags, say
from tests.support.erp import new_database, postgres, run_sql, running, until_it_answers
from tests.support.erp_mixed import EXPECTED, check, ground, mixed

from deskworld_kit.clock import monotonic
from deskworld_kit.telemetry.logs import configure_logging

DEADLOCKS = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
VENDORS = 40
BATCH = 1_000


def main(arguments: Sequence[str]) -> int:
    parser = flags("erp_mixed", __doc__)
    parser.add_argument("--commands", type=int, default=10_000)
    parser.add_argument("--side-by-side", type=int, default=32)
    given = parser.parse_args(arguments)
    configure_logging("soak", "error")
    return asyncio.run(soak(given.commands, given.seed, given.side_by_side))


async def soak(commands: int, seed: int, side_by_side: int) -> int:
    with postgres() as home:
        await until_it_answers(home)
        await run_sql(home, "CREATE ROLE erp_service LOGIN")
        await new_database(home, "erp")
        async with running(home, "erp") as erp:
            draw, since, applied, done = Random(seed), monotonic(), 0, 0
            while done < commands:
                grounds = [await ground(erp) for _ in range(VENDORS)]
                count = min(BATCH, commands - done)
                answers = await mixed(erp, grounds, draw, count=count, side_by_side=side_by_side)
                strange = {name: times for name, times in answers.items() if int(name.split()[-1]) not in EXPECTED}
                if strange:
                    say(f"FAILED: seed {seed}: answers that nobody declared: {strange}")
                    return 1
                applied += sum([await check(erp, one) for one in grounds])
                done += count
            chain = await erp.get("/audit/verify", by="kira.stone")
            async with erp.erp.read() as connection:
                deadlocks = (await connection.exec_driver_sql(DEADLOCKS)).scalar_one()
    seconds = monotonic() - since
    say(f"seed {seed}: {done} commands by {side_by_side} at once in {seconds:.0f} s, {applied} applied, ")
    say(f"  {chain['rows']} audit rows, chain ok: {chain['ok']}, deadlocks: {deadlocks}")
    return int(deadlocks != 0 or not chain["ok"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
