"""Connections that the server ends: whoever meets one is told of an outage, and the next one gets one that works."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
import uvloop
from sqlalchemy import event, text
from sqlalchemy.exc import DBAPIError
from tests.support.erp import new_database, run_sql

from deskworld_kit import clock
from deskworld_kit.database import Database, database
from deskworld_kit.outage import is_outage
from deskworld_kit.sessions import lean_database

WITHIN = 2.5
CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'cut_off'"


@pytest.fixture(scope="module")
async def url(erp_postgres: Path) -> str:
    await new_database(erp_postgres, "cuts")
    await run_sql(erp_postgres, "CREATE ROLE cut_off LOGIN")
    await run_sql(
        erp_postgres, "CREATE TABLE notes (words text)", "GRANT ALL ON notes TO cut_off", database_name="cuts"
    )
    return f"postgresql://cut_off@/cuts?host={erp_postgres}"


@contextlib.asynccontextmanager
async def opened(url: str, make: Callable[..., Database] = database, **pool: int) -> AsyncIterator[Database]:
    held = make(url, **pool)
    try:
        yield held
    finally:
        await held.close()


async def one(held: Database) -> int:
    async with held.transaction() as session:
        return int(await session.scalar(text("SELECT 1")))


async def test_a_connection_that_died_in_the_pool_is_lent_to_nobody(url: str, erp_postgres: Path) -> None:
    async with opened(url, pool=1) as held:
        assert await one(held) == 1
        await run_sql(erp_postgres, CUT)
        assert await one(held) == 1


async def test_connections_that_die_one_after_the_other_are_an_outage_and_no_misuse(
    url: str, erp_postgres: Path
) -> None:
    dying = False

    def die(connection: Any, _record: Any) -> None:
        if dying:
            ended = "SELECT pg_terminate_backend(pg_backend_pid())"
            with contextlib.suppress(Exception):
                connection.run_async(lambda driver: driver.execute(ended))

    async with opened(url, pool=1) as held:
        event.listen(held.engine.sync_engine, "connect", die)
        assert await one(held) == 1
        await run_sql(erp_postgres, CUT)
        dying = True
        with pytest.raises(DBAPIError, check=is_outage):
            await one(held)
        dying = False
        assert await one(held) == 1


async def test_a_fault_in_what_was_asked_is_no_outage(url: str) -> None:
    async with opened(url) as held:
        for statement, values in (("SELECT nothing FROM nowhere", {}), ("SELECT :n + 1", {"n": "x"})):
            with pytest.raises(DBAPIError, check=lambda error: not is_outage(error)):
                async with held.transaction() as session:
                    await session.execute(text(statement), values)


@pytest.mark.parametrize("make", [database, lean_database])
async def test_wherever_a_cut_falls_it_is_an_outage(
    url: str, erp_postgres: Path, make: Callable[..., Database]
) -> None:
    """On the event loop that the services run on: how a closed line shows depends on it."""
    met = await asyncio.to_thread(uvloop.run, _through_cuts(url, erp_postgres, make))
    strange = {kind: count for (kind, outage), count in met.items() if not outage}
    assert strange == {}
    assert sum(met.values()) > 0, "no cut was met by anybody"


async def _through_cuts(url: str, home: Path, make: Callable[..., Database]) -> Counter[tuple[str, bool]]:
    met: Counter[tuple[str, bool]] = Counter()
    until = clock.monotonic() + WITHIN
    async with opened(url, make, pool=6, overflow=12) as held:

        async def work(rng: Random) -> None:
            while clock.monotonic() < until:
                try:
                    async with held.transaction() as session:
                        for _ in range(rng.randint(1, 4)):
                            await session.execute(text(rng.choice(["SELECT 1", "INSERT INTO notes VALUES ('x')"])))
                except Exception as error:  # noqa: BLE001 - what it is stands in the count, and the test judges it
                    met[f"{type(error).__name__}: {str(error).splitlines()[0]}", is_outage(error)] += 1
                    await clock.pause(rng.random() * 0.01)

        cutting = (
            "DO $$ BEGIN FOR i IN 1..6 LOOP PERFORM pg_stat_clear_snapshot(); "
            f"PERFORM {CUT.removeprefix('SELECT ')}; PERFORM pg_sleep(0.01); END LOOP; END $$"
        )

        async def cut() -> None:
            while clock.monotonic() < until:
                await run_sql(home, cutting)
                await clock.pause(0.05)

        await asyncio.gather(cut(), *(work(Random(number)) for number in range(8)))
    return met
