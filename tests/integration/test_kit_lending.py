"""Connections that stay at hand, and statements that are sent with the beginning or the end of a transaction."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, DateTime, Integer, LargeBinary, MetaData, Numeric, Table, Text, bindparam, func, select
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.exc import DBAPIError, IntegrityError
from tests.support.erp import run_sql

from deskworld_kit import clock
from deskworld_kit.database import database
from deskworld_kit.lean import LeanConnection, fixed
from deskworld_kit.lending import LeanEngine
from deskworld_kit.outage import is_outage

METADATA = MetaData()
notes = Table(
    "lent_notes", METADATA,
    Column("id", Text, primary_key=True), Column("count", Integer), Column("price", Numeric(20, 2)),
    Column("at", DateTime(timezone=True)), Column("said", JSONB(none_as_null=True)), Column("raw", LargeBinary),
)  # fmt: skip
CREATE = """CREATE TABLE IF NOT EXISTS lent_notes (id text PRIMARY KEY, count integer, price numeric(20, 2),
at timestamptz, said jsonb, raw bytea); GRANT ALL ON lent_notes TO erp_service"""
NAMES = [column.name for column in notes.c]
ADD = fixed(insert(notes).values({name: bindparam(name) for name in NAMES}), name="add_note")
ADD_ONCE = fixed(insert(notes).values(id=bindparam("id")).on_conflict_do_nothing(), name="add_note_once")
ALL = fixed(select(notes).order_by(notes.c.id))
NOTHING: dict[str, Any] = dict.fromkeys(NAMES)
AT = datetime(2026, 3, 10, 9, tzinfo=UTC)
TEXTS = ["plain", "it's", "back\\slash", "\\'; DROP TABLE lent_notes; --", "$1 :id %s {}", "two\nlines\t", "ü ✓ 𝔘", ""]
POOL = 2


@pytest.fixture
async def engine(erp_postgres: Path) -> AsyncIterator[LeanEngine]:
    await run_sql(erp_postgres, CREATE, "TRUNCATE lent_notes", database_name="erp")
    url = f"postgresql+asyncpg://erp_service@/erp?host={erp_postgres}"
    lending = LeanEngine.of(database(url, pool=POOL, overflow=0).engine)
    yield lending
    await lending.dispose()
    await run_sql(erp_postgres, "DROP TABLE lent_notes", database_name="erp")


async def pid_of(lean: LeanConnection) -> int:
    return int((await lean.execute(select(func.pg_backend_pid()))).scalar_one())


async def written(engine: LeanEngine) -> list[str]:
    async with engine.lent() as lean:
        return [row.id for row in await lean.execute(ALL)]


async def end(home: Path, pid: int) -> None:
    await run_sql(home, f"SELECT pg_terminate_backend({pid})", database_name="erp")


async def test_what_is_sent_with_the_commit_is_stored_as_what_is_executed(engine: LeanEngine) -> None:
    rows = [
        {"id": text, "count": number - 1, "price": Decimal("-10.40"), "at": AT, "said": {"it's": ["\\", text]},
         "raw": text.encode() + b"\x00'"}
        for number, text in enumerate(TEXTS)
    ]  # fmt: skip
    async with engine.begun() as lean:
        await lean.commit_with(*((ADD, row) for row in rows), (ADD, NOTHING | {"id": "nothing else"}))
    async with engine.lent() as lean:
        sent = {row.id: dict(row._mapping) for row in await lean.execute(ALL)}
    async with engine.begun() as lean:
        await lean.execute(notes.delete())
        for row in [*rows, NOTHING | {"id": "nothing else"}]:
            await lean.execute(ADD, row)
        assert sent == {row.id: dict(row._mapping) for row in await lean.execute(ALL)}
    assert sent["it's"] == rows[1]


def test_two_statements_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two statements are named add_note"):
        fixed(select(notes.c.id), name="add_note")


async def test_when_the_last_statement_is_refused_nothing_is_committed_and_the_connection_serves_on(
    engine: LeanEngine,
) -> None:
    async with engine.begun() as lean:
        await lean.execute(ADD, NOTHING | {"id": "there"})
        pid = await pid_of(lean)

    async def refused() -> None:
        async with engine.begun() as lean:
            await lean.commit_with((ADD, NOTHING | {"id": "new"}), (ADD, NOTHING | {"id": "there"}))

    with pytest.raises(IntegrityError, check=lambda error: not is_outage(error)) as told:
        await refused()
    assert "new" not in str(told.value)  # what is written down of an error holds no values
    assert await written(engine) == ["there"]
    async with engine.begun() as lean:
        assert await pid_of(lean) == pid


async def test_a_connection_that_is_cut_before_the_last_statement_is_an_outage(
    engine: LeanEngine, erp_postgres: Path
) -> None:
    async def cut_off() -> None:
        async with engine.begun() as lean:
            await end(erp_postgres, await pid_of(lean))
            await lean.commit_with((ADD, NOTHING | {"id": "new"}))

    with pytest.raises((DBAPIError, OSError), check=is_outage):
        await cut_off()
    assert await written(engine) == []


async def test_a_transaction_that_lost_a_statement_cannot_be_committed_with_another(engine: LeanEngine) -> None:
    async def swallowed() -> None:
        async with engine.begun() as lean:
            await lean.execute(ADD, NOTHING | {"id": "one"})
            with pytest.raises(IntegrityError):
                await lean.execute(ADD, NOTHING | {"id": "one"})
            await lean.commit_with((ADD, NOTHING | {"id": "two"}))

    with pytest.raises(DBAPIError, check=lambda error: not is_outage(error)):
        await swallowed()
    assert await written(engine) == []


async def test_a_transaction_begins_with_a_statement_and_tells_how_many_rows_it_wrote(engine: LeanEngine) -> None:
    for found in (1, 0):
        async with engine.begun(first=(ADD_ONCE, {"id": "once"})) as lean:
            assert (lean.found, lean.driver.is_in_transaction()) == (found, True)
    assert await written(engine) == ["once"]


async def test_what_a_transaction_began_with_is_rolled_back_with_it(engine: LeanEngine) -> None:
    async def broken_off() -> None:
        async with engine.begun(first=(ADD, NOTHING | {"id": "new"})):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await broken_off()
    assert await written(engine) == []


async def test_a_transaction_begins_on_another_connection_where_the_first_one_died(
    engine: LeanEngine, erp_postgres: Path
) -> None:
    async with engine.begun() as one, engine.begun() as other:
        pids = [await pid_of(one), await pid_of(other)]
    for pid in pids:
        await end(erp_postgres, pid)
    async with engine.begun(first=(ADD, NOTHING | {"id": "new"})) as lean:
        assert await pid_of(lean) not in pids
    assert await written(engine) == ["new"]


async def test_a_first_statement_that_is_refused_is_asked_of_nobody_else(engine: LeanEngine) -> None:
    async def work() -> None:
        async with engine.begun(first=(ADD, NOTHING | {"id": "there"})):
            pass

    await work()
    with pytest.raises(IntegrityError, check=lambda error: not is_outage(error)):
        await work()
    assert await written(engine) == ["there"]


async def test_who_comes_next_is_lent_the_connection_that_was_used_last(engine: LeanEngine) -> None:
    async with engine.begun() as one, engine.begun() as other:
        pids = {await pid_of(one), await pid_of(other)}
        last = await pid_of(one)
    for _ in range(3):
        async with engine.lent() as lean:
            assert await pid_of(lean) == last
    assert len(pids) == POOL


async def test_a_connection_that_was_ended_at_hand_is_lent_to_nobody(engine: LeanEngine, erp_postgres: Path) -> None:
    async with engine.lent() as lean:
        pid, driver = await pid_of(lean), lean.driver
    await run_sql(erp_postgres, f"SELECT pg_terminate_backend({pid})", database_name="erp")
    async with asyncio.timeout(20):
        while not driver.is_closed():  # its end has been heard of
            await clock.pause(0.005)
    async with engine.lent() as lean:
        assert await pid_of(lean) != pid


async def test_whoever_waits_for_a_connection_gets_one_that_comes_back(engine: LeanEngine) -> None:
    async def work(number: int) -> None:
        async with engine.begun() as lean:
            await lean.commit_with((ADD, NOTHING | {"id": f"{number:02}"}))

    async with asyncio.timeout(10):
        await asyncio.gather(*(work(number) for number in range(20)))
    assert await written(engine) == [f"{number:02}" for number in range(20)]


async def test_a_connection_whose_block_was_cancelled_is_lent_in_no_transaction(engine: LeanEngine) -> None:
    lock = select(func.pg_advisory_xact_lock(7))
    began = asyncio.Event()

    async def work() -> None:
        async with engine.begun(first=(ADD, NOTHING | {"id": "new"})) as lean:
            began.set()
            await lean.execute(lock)

    async with engine.begun() as holding:
        await holding.execute(lock)
        working = asyncio.create_task(work())
        await began.wait()
        working.cancel()
        await asyncio.wait([working])
    assert working.cancelled()
    assert await written(engine) == []
    async with engine.lent() as one, engine.lent() as other:
        assert not one.driver.is_in_transaction()
        assert not other.driver.is_in_transaction()
