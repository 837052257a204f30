"""Audit and schema: append-only, chained, and the database is what the tables say."""

from pathlib import Path
from typing import Any

import asyncpg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from asyncpg.exceptions import InsufficientPrivilegeError
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import create_async_engine
from tests.support.erp import RunningErp, invoice, line, new_database, run_sql, running, situation

from deskworld_erp.migrate import migrate
from deskworld_erp.schema import metadata

connect: Any = asyncpg.connect  # it has no types


@pytest.mark.parametrize("statement", ["UPDATE audit SET action = 'x'", "DELETE FROM audit", "TRUNCATE audit"])
async def test_the_service_can_neither_change_nor_delete_an_audit_row(erp: RunningErp, statement: str) -> None:
    connection = await connect(host=str(erp.home), user="erp_service", database=erp.database_name)
    try:
        with pytest.raises(InsufficientPrivilegeError):
            await connection.execute(statement)
    finally:
        await connection.close()


@pytest.mark.parametrize(
    ("tampering", "first_broken"),
    [
        ("UPDATE audit SET detail = '{}' WHERE seq = 5", 5),
        ("UPDATE audit SET decision_id = 'forged' WHERE seq = 3", 3),
        ("DELETE FROM audit WHERE seq = 2", 2),
        ("DELETE FROM audit WHERE seq = (SELECT max(seq) FROM audit)", 9),
        ("UPDATE audit SET hash = repeat('a', 64) WHERE seq = 9", 9),
    ],
)
async def test_verification_names_the_first_broken_row(erp_postgres: Path, tampering: str, first_broken: int) -> None:
    name = f"tampered_{abs(hash(tampering))}"
    await new_database(erp_postgres, name)
    async with running(erp_postgres, name) as erp:
        seeded = [await erp.seed(situation(invoice(lines=[line(price="10.40")]))) for _ in range(2)]
        await erp.send("reject", await seeded[1].invoice(), by="grace.hall")
        assert await erp.get("/audit/verify", by="kira.stone") == {"ok": True, "broken": None, "rows": 9}
        await run_sql(erp_postgres, tampering, database_name=name)
        verified = await erp.get("/audit/verify", by="ines.vogel")
        assert (verified["ok"], verified["broken"]) == (False, first_broken)
        chains = [(await erp.witness(one.vendor_id))["chain"]["ok"] for one in seeded]
        assert False in chains or "DELETE" in tampering


async def test_the_audit_is_for_auditors_and_controllers(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice()))
    found = await erp.get(f"/audit?entity={seeded.record('invoice')['id']}", by="kira.stone")
    assert [row["action"] for row in found["items"]] == ["receive"]
    for username in ("desk", "grace.hall", "anna.keller", "emma.lind"):
        for path in ("/audit", "/audit/verify"):
            answer = await erp.office.get(path, headers=erp.headers(username))
            assert (answer.status_code, answer.json()["code"]) == (403, "NOT_AUTHORISED")


async def test_the_migrated_database_is_what_the_tables_say(erp_postgres: Path) -> None:
    engine = create_async_engine(f"postgresql+asyncpg://postgres@/erp?host={erp_postgres}")

    def compare(connection: Connection) -> object:
        return compare_metadata(MigrationContext.configure(connection), metadata)

    async with engine.connect() as connection:
        assert await connection.run_sync(compare) == []
    await engine.dispose()


async def test_migrating_again_changes_nothing(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice()))
    await migrate(f"postgresql://postgres@/{erp.database_name}?host={erp.home}")
    assert (await seeded.invoice())["status"] == "MATCHED"
