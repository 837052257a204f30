"""Statements that never change go straight to the driver, and nobody can tell from what comes back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import (
    Column,
    DateTime,
    Integer,
    Interval,
    LargeBinary,
    MetaData,
    Numeric,
    Table,
    Text,
    bindparam,
    func,
    insert,
    select,
)  # fmt: skip
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import DBAPIError, IntegrityError, MultipleResultsFound, NoResultFound
from tests.support.erp import run_sql

from deskworld_kit.database import Database, database
from deskworld_kit.lean import LeanConnection, fixed
from deskworld_kit.lending import LeanEngine
from deskworld_kit.outage import KINDS, is_outage

METADATA = MetaData()
things = Table(
    "lean_things", METADATA,
    Column("id", Text, primary_key=True), Column("count", Integer), Column("price", Numeric(20, 2)),
    Column("at", DateTime(timezone=True)), Column("ahead", Interval), Column("said", JSONB(none_as_null=True)),
    Column("raw", LargeBinary),
)  # fmt: skip
CREATE = """CREATE TABLE IF NOT EXISTS lean_things (id text PRIMARY KEY, count integer, price numeric(20, 2),
at timestamptz, ahead interval, said jsonb, raw bytea); GRANT ALL ON lean_things TO erp_service"""
ADD = fixed(insert(things).values({column.name: bindparam(column.name) for column in things.c}))
ONE = fixed(select(things).where(things.c.id == bindparam("wanted")))
ALL = fixed(select(things.c.id, func.coalesce(things.c.count, 7).label("counted")).order_by(things.c.id))
RAISE = fixed(things.update().where(things.c.id == bindparam("wanted")).values(count=things.c.count + 1))
AT = datetime(2026, 3, 10, 9, tzinfo=UTC)
VALUES: dict[str, Any] = {
    "id": "a", "count": None, "price": Decimal("10.40"), "at": AT, "ahead": timedelta(days=3),
    "said": {"b": [1, None, "ü"]}, "raw": b"\x00\xff",
}  # fmt: skip


@pytest.fixture
async def held(erp_postgres: Path) -> Any:
    await run_sql(erp_postgres, CREATE, "TRUNCATE lean_things", database_name="erp")
    found: Database = database(f"postgresql+asyncpg://erp_service@/erp?host={erp_postgres}")
    yield found
    await found.close()
    await run_sql(erp_postgres, "DROP TABLE lean_things", database_name="erp")


@pytest.fixture
async def engine(held: Database) -> AsyncIterator[LeanEngine]:
    lending = LeanEngine.of(held.engine)
    yield lending
    await lending.dispose()


async def test_values_go_in_and_come_back_as_sqlalchemy_has_them(held: Database, engine: LeanEngine) -> None:
    async with engine.lent() as lean:
        done = await lean.execute(ADD, VALUES)
        assert done.rowcount == 1
        row = (await lean.execute(ONE, {"wanted": "a"})).one()
    async with held.engine.connect() as plain:
        other = (await plain.execute(select(things))).one()
    assert dict(row._mapping) == dict(other._mapping) == VALUES
    assert (row.price, row.said["b"][2], tuple(row)) == (other.price, "ü", tuple(other))


async def test_the_answer_offers_what_a_result_offers(engine: LeanEngine) -> None:
    async with engine.lent() as lean:
        for name in ("a", "b"):
            await lean.execute(ADD, VALUES | {"id": name})
        found = await lean.execute(ALL)
        assert [(row.id, row.counted) for row in found] == [("a", 7), ("b", 7)]
        assert ((await lean.execute(ALL)).scalar(), len((await lean.execute(ALL)).all())) == ("a", 2)
        nothing = {"wanted": "nobody"}
        assert (await lean.execute(ONE, nothing)).first() is None
        assert (await lean.execute(ONE, nothing)).scalar() is None
        with pytest.raises(NoResultFound):
            (await lean.execute(ONE, nothing)).one()
        with pytest.raises(MultipleResultsFound):
            (await lean.execute(ALL)).scalar_one()
        assert (await lean.execute(RAISE, {"wanted": "a"})).rowcount == 1
        assert (await lean.execute(RAISE, nothing)).rowcount == 0


async def test_a_transaction_holds_statements_of_both_ways_together(engine: LeanEngine) -> None:
    async def broken_off() -> None:
        async with engine.begun() as lean:
            await lean.execute(ADD, VALUES)
            await lean.execute(things.update().values(count=3))
            assert (await lean.execute(ONE, {"wanted": "a"})).one().count == 3
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await broken_off()
    async with engine.lent() as lean:
        assert (await lean.execute(ALL)).all() == []
    async with engine.begun() as lean:
        await lean.execute(ADD, VALUES)
    async with engine.lent() as lean:
        assert len((await lean.execute(ALL)).all()) == 1


async def test_a_transaction_begins_on_a_connection_that_lives(engine: LeanEngine, erp_postgres: Path) -> None:
    async with engine.begun() as lean:
        pid = (await lean.execute(select(func.pg_backend_pid()))).scalar_one()
    await run_sql(erp_postgres, f"SELECT pg_terminate_backend({pid})", database_name="erp")
    async with engine.begun() as lean:
        assert lean.driver.is_in_transaction()
        await lean.execute(ADD, VALUES)
        assert (await lean.execute(select(func.pg_backend_pid()))).scalar_one() != pid
    async with engine.lent() as lean:
        assert not lean.driver.is_in_transaction()
        assert len((await lean.execute(ALL)).all()) == 1


async def test_a_transaction_that_lost_a_statement_is_not_told_as_committed(engine: LeanEngine) -> None:
    async def swallowed() -> None:
        async with engine.begun() as lean:
            await lean.execute(ADD, VALUES)
            with pytest.raises(IntegrityError):
                await lean.execute(ADD, VALUES)

    with pytest.raises(RuntimeError, match="a statement of the transaction had failed"):
        await swallowed()
    async with engine.lent() as lean:
        assert (await lean.execute(ALL)).all() == []


async def test_a_connection_cut_in_a_transaction_is_an_outage_and_nothing_is_repeated(
    engine: LeanEngine, erp_postgres: Path
) -> None:
    met: list[str] = []

    async def cut_off() -> None:
        async with engine.begun() as lean:
            await lean.execute(ADD, VALUES)
            met.append("written")
            pid = (await lean.execute(select(func.pg_backend_pid()))).scalar_one()
            await run_sql(erp_postgres, f"SELECT pg_terminate_backend({pid})", database_name="erp")

    with pytest.raises((DBAPIError, OSError), check=is_outage):
        await cut_off()
    assert met == ["written"]
    async with engine.begun() as lean:
        assert (await lean.execute(ALL)).all() == []


async def test_what_goes_wrong_is_raised_as_sqlalchemy_raises_it(engine: LeanEngine, erp_postgres: Path) -> None:
    async with engine.lent() as lean:
        await lean.execute(ADD, VALUES)
        with pytest.raises(IntegrityError) as twice:
            await lean.execute(ADD, VALUES)
        assert twice.value.orig is not None
        assert getattr(twice.value.orig.__cause__, "constraint_name", None) == "lean_things_pkey"
    async with engine.lent() as lean:
        pid = (await lean.execute(select(func.pg_backend_pid()))).scalar_one()
        await run_sql(erp_postgres, f"SELECT pg_terminate_backend({pid})", database_name="erp")
        with pytest.raises((DBAPIError, OSError)):
            await lean.execute(ONE, {"wanted": "a"})
    async with engine.lent() as lean:
        assert (await lean.execute(ONE, {"wanted": "a"})).one().id == "a"


@asynccontextmanager
async def cut_off(engine: LeanEngine, home: Path) -> AsyncIterator[LeanConnection]:
    """In a transaction whose connection the server has just ended."""
    async with engine.begun() as lean:
        pid = (await lean.execute(select(func.pg_backend_pid()))).scalar_one()
        await run_sql(home, f"SELECT pg_terminate_backend({pid})", database_name="erp")
        yield lean


@pytest.mark.parametrize("statement", [select(things), ONE], ids=["sqlalchemy's", "fixed"])
async def test_a_transaction_whose_connection_is_lost_is_an_outage_whichever_way_that_was_met(
    engine: LeanEngine, erp_postgres: Path, statement: Any
) -> None:
    async def work() -> None:
        async with cut_off(engine, erp_postgres) as lean:
            await lean.execute(statement, {"wanted": "a"})

    with pytest.raises(KINDS) as lost:
        await work()
    assert is_outage(lost.value)


class Gone(Exception):
    pass


async def test_what_ended_a_transaction_is_told_although_its_connection_is_lost(
    engine: LeanEngine, erp_postgres: Path
) -> None:
    async def work() -> None:
        async with cut_off(engine, erp_postgres):
            raise Gone

    with pytest.raises(Gone):
        await work()
    async with engine.begun() as lean:
        assert (await lean.execute(select(func.count()).select_from(things))).scalar_one() >= 0


def test_a_list_of_values_cannot_be_fixed() -> None:
    with pytest.raises(ValueError, match="another statement for each length"):
        fixed(select(things).where(things.c.id.in_(["a", "b"])))
