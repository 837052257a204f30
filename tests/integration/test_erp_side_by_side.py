"""Many hands at once on few vendors: no deadlock, no lost effect, one chain."""

import asyncio
from pathlib import Path
from random import Random

import pytest
from tests.support.erp import RunningErp, invoice, line, new_database, running, situation
from tests.support.erp_mixed import EXPECTED, check, ground, mixed

from deskworld_kit.ids import new_id

DEADLOCKS = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"


@pytest.mark.slow
async def test_mixed_commands_on_a_few_vendors_neither_block_each_other_nor_break_the_chain(
    erp_postgres: Path,
) -> None:
    """A slice of `python -m tests.soak.erp_mixed`."""
    await new_database(erp_postgres, "mixed")
    async with running(erp_postgres, "mixed") as erp:
        grounds = [await ground(erp) for _ in range(4)]
        async with asyncio.timeout(120):
            answers = await mixed(erp, grounds, Random(11), count=400, side_by_side=16)
        assert {int(name.rpartition(" ")[2]) for name in answers} <= EXPECTED
        assert sum([await check(erp, one) for one in grounds]) > 40
        assert (await erp.get("/audit/verify", by="kira.stone"))["ok"]
        async with erp.erp.read() as connection:
            assert (await connection.exec_driver_sql(DEADLOCKS)).scalar_one() == 0


async def test_the_same_key_is_another_key_for_another_person(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=[line(price="10.40")])))
    key, exception = new_id(), seeded.exception("PRICE_VARIANCE")
    held = await erp.send("hold", await seeded.invoice(), by="emma.lind", key=key, exception_id=exception)
    released = await erp.send("release-hold", await seeded.invoice(), by="grace.hall", key=key, exception_id=exception)
    assert (held.status_code, released.status_code) == (200, 200)
    assert (await erp.get(f"/commands/{key}", by="emma.lind"))["answer"]["action"] == "hold"
    assert (await erp.get(f"/commands/{key}", by="grace.hall"))["answer"]["action"] == "release-hold"
