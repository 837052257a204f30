"""Postgres, as far as the services lean on it: who may do what, how text is kept and sorted, what one session sees of
another. On both stacks it is the server itself, of two versions."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from asyncpg.exceptions import InsufficientPrivilegeError, LockNotAvailableError, UniqueViolationError
from tests.support.databases import Session, session
from tests.support.stack import Stack

from deskworld_kit.ids import new_id

SERVICES = ("erp", "desk")
APPEND_ONLY = [("erp", "audit"), ("desk", "timeline"), ("desk", "blobs")]
WITHIN = 15.0


@pytest.fixture
async def two(whole_stack: Stack) -> AsyncIterator[tuple[Session, Session, str]]:
    """Two sessions, and a table of the test's own with one row of version 1."""
    name = f"conformance_{new_id().replace('-', '')}"
    async with session(whole_stack, "erp") as one, session(whole_stack, "erp") as other:
        await one.execute(f"CREATE TABLE {name} (id text PRIMARY KEY, version integer NOT NULL)")
        try:
            await one.execute(f"INSERT INTO {name} VALUES ('a', 1)")
            async with asyncio.timeout(WITHIN):
                yield one, other, name
        finally:
            await one.execute(f"DROP TABLE {name}")


@pytest.mark.parametrize("service", SERVICES)
async def test_a_service_may_log_in_to_its_own_database_alone(whole_stack: Stack, service: str) -> None:
    async with session(whole_stack, service) as asked:
        allowed = {
            database: await asked.fetchval(
                "SELECT has_database_privilege($1, $2, 'CONNECT')", f"{service}_service", database
            )
            for database in SERVICES
        }
    assert allowed == {database: database == service for database in SERVICES}


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("kind", ["owner", "service"])
async def test_no_role_of_ours_is_more_than_a_login(whole_stack: Stack, service: str, kind: str) -> None:
    async with session(whole_stack, service) as asked:
        row = await asked.fetchrow("SELECT * FROM pg_roles WHERE rolname = $1", f"{service}_{kind}")
        groups = await asked.fetchval("SELECT count(*) FROM pg_auth_members WHERE member = $1", row["oid"])
    powers = ("rolsuper", "rolcreaterole", "rolcreatedb", "rolreplication", "rolbypassrls")
    assert (row["rolcanlogin"], groups, [power for power in powers if row[power]]) == (True, 0, [])


@pytest.mark.parametrize("service", SERVICES)
async def test_a_service_makes_no_table(whole_stack: Stack, service: str) -> None:
    async with session(whole_stack, service, as_role=f"{service}_service") as asked:
        with pytest.raises(InsufficientPrivilegeError):
            await asked.execute("CREATE TABLE of_its_own (id text)")


@pytest.mark.parametrize(("service", "name"), APPEND_ONLY)
@pytest.mark.parametrize("change", ["UPDATE {} SET {} = {}", "DELETE FROM {}", "TRUNCATE {}"])
async def test_what_is_append_only_is_so_for_the_service(
    whole_stack: Stack, service: str, name: str, change: str
) -> None:
    async with session(whole_stack, service, as_role=f"{service}_service") as asked:
        column = await asked.fetchval(
            "SELECT attname FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 ORDER BY attnum LIMIT 1",
            name,
        )
        with pytest.raises(InsufficientPrivilegeError):
            await asked.execute(change.format(name, column, column))


@pytest.mark.parametrize("service", SERVICES)
async def test_text_is_unicode_sorted_by_code_point_and_times_are_utc(whole_stack: Stack, service: str) -> None:
    async with session(whole_stack, service) as asked:
        assert await asked.fetchval("SHOW server_encoding") == "UTF8"
        assert await asked.fetchval("SHOW TimeZone") == "UTC"
        assert await asked.fetchval("SELECT lower('ÄÉ')") == "äé"
        sorted_by_it = await asked.fetch("SELECT word FROM unnest($1::text[]) AS word ORDER BY word", ["a", "B", "ä"])
        assert [row["word"] for row in sorted_by_it] == ["B", "a", "ä"]
        assert int(await asked.fetchval("SHOW server_version_num")) >= 170000


async def test_of_two_writers_that_saw_the_same_version_one_finds_nothing_to_write(
    two: tuple[Session, Session, str],
) -> None:
    one, other, name = two
    write = f"UPDATE {name} SET version = 2 WHERE id = 'a' AND version = 1"
    first = one.transaction()
    await first.start()
    assert await one.execute(write) == "UPDATE 1"
    second = asyncio.ensure_future(other.execute(write))
    await _until_it_waits(one, other)
    await first.commit()
    assert await second == "UPDATE 0"


async def test_of_two_that_insert_the_same_key_the_second_waits_and_is_refused(
    two: tuple[Session, Session, str],
) -> None:
    one, other, name = two
    first = one.transaction()
    await first.start()
    await one.execute(f"INSERT INTO {name} VALUES ('b', 1)")
    second = asyncio.ensure_future(other.execute(f"INSERT INTO {name} VALUES ('b', 1)"))
    await _until_it_waits(one, other)
    await first.commit()
    with pytest.raises(UniqueViolationError):
        await second


async def test_nobody_sees_what_is_not_committed(two: tuple[Session, Session, str]) -> None:
    one, other, name = two
    assert await one.fetchval("SHOW transaction_isolation") == "read committed"
    first = one.transaction()
    await first.start()
    await one.execute(f"UPDATE {name} SET version = 2")
    assert await other.fetchval(f"SELECT version FROM {name}") == 1
    await first.rollback()
    assert await one.fetchval(f"SELECT version FROM {name}") == 1


async def test_a_locked_row_can_be_passed_over_or_refused_at_once(two: tuple[Session, Session, str]) -> None:
    one, other, name = two
    first = one.transaction()
    await first.start()
    await one.execute(f"SELECT 1 FROM {name} FOR UPDATE")
    assert await other.fetch(f"SELECT 1 FROM {name} FOR UPDATE SKIP LOCKED") == []
    with pytest.raises(LockNotAvailableError):
        await other.fetch(f"SELECT 1 FROM {name} FOR UPDATE NOWAIT")
    await first.rollback()


async def test_a_notice_is_heard_when_its_transaction_commits_and_never_otherwise(
    two: tuple[Session, Session, str],
) -> None:
    one, other, name = two
    heard: asyncio.Queue[str] = asyncio.Queue()

    def hear(*said: str) -> None:
        heard.put_nowait(said[-1])

    await other.add_listener(name, hear)
    taken_back = one.transaction()
    await taken_back.start()
    await one.execute("SELECT pg_notify($1, 'taken back')", name)
    await taken_back.rollback()
    async with one.transaction():
        await one.execute("SELECT pg_notify($1, 'meant')", name)
    assert await asyncio.wait_for(heard.get(), WITHIN) == "meant"
    await other.remove_listener(name, hear)


async def test_a_lock_of_a_session_ends_with_it(whole_stack: Stack) -> None:
    key = 730_421
    async with session(whole_stack, "erp") as holder:
        assert await holder.fetchval("SELECT pg_try_advisory_lock($1)", key)
        async with session(whole_stack, "erp") as other:
            assert not await other.fetchval("SELECT pg_try_advisory_lock($1)", key)
    async with session(whole_stack, "erp") as other:
        # ended is when the server noticed
        await asyncio.wait_for(other.execute("SELECT pg_advisory_lock($1)", key), WITHIN)


async def _until_it_waits(asking: Session, waiting: Session) -> None:
    """A session waits for a lock: Postgres says so."""
    pid = waiting.get_server_pid()
    async with asyncio.timeout(WITHIN):
        while not await asking.fetchval("SELECT cardinality(pg_blocking_pids($1)) > 0", pid):
            continue
