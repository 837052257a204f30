"""The embedded Postgres alone, over a schema of one table that a service may add to and read."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import psutil
import pytest
from asyncpg.exceptions import (
    InsufficientPrivilegeError,
    InterfaceError,
    InternalClientError,
    InvalidPasswordError,
    PostgresError,
)
from tests.support.processes import all_gone, kill, program, restarted, status_of

_CUT_OFF = (OSError, PostgresError, InterfaceError, InternalClientError)


@pytest.fixture(scope="module")
def temp(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A temporary directory that the server's user can reach too, with a short name as sockets need one."""
    made = Path(
        subprocess.run(
            ["mktemp", "-d", "/tmp/dw-test-XXXXXX"], capture_output=True, text=True, check=True
        ).stdout.strip()
    )
    made.chmod(0o755)
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture
def folder(temp: Path, request: pytest.FixtureRequest) -> Path:
    return temp / f"f{abs(hash(request.node.name)) % 100_000}"


def _postgres(folder: Path) -> list[str]:
    return ["tests.support.little_postgres", str(folder)]


def _within(temp: Path) -> Mapping[str, str]:
    return {"TMPDIR": str(temp)}


@asynccontextmanager
async def _connection(url: str) -> AsyncIterator[Any]:
    connect: Any = asyncpg.connect
    connection = await connect(url, timeout=20)
    try:
        yield connection
    finally:
        connection.terminate()


async def _writes_until_cut_off(url: str, first: int, acknowledged: asyncio.Event) -> int:
    """The first number that was not acknowledged."""
    number = first
    try:
        async with _connection(url) as connection:
            while True:
                await connection.execute("INSERT INTO entry VALUES ($1, 'committed')", number)
                number += 1
                acknowledged.set()
    except _CUT_OFF:
        return number


def _creators_of_shared_memory() -> set[int]:
    head, *segments = [line.split() for line in Path("/proc/sysvipc/shm").read_text().splitlines()]
    return {int(segment[head.index("cpid")]) for segment in segments}


async def _numbers(url: str) -> list[int]:
    async with _connection(url) as connection:
        return [row["number"] for row in await connection.fetch("SELECT number FROM entry ORDER BY number")]


async def test_nothing_committed_is_lost_when_the_server_is_killed_while_it_writes(temp: Path, folder: Path) -> None:
    with program(_postgres(folder), _within(temp)) as stack:
        url = stack.says(within=60)["url"]
        first = 1
        for milliseconds in (1, 40, 90, 150, 220):
            acknowledged = asyncio.Event()
            writing = asyncio.create_task(_writes_until_cut_off(url, first, acknowledged))
            async with asyncio.timeout(20):
                await acknowledged.wait()
            await asyncio.wait([writing], timeout=milliseconds / 1000)
            pid = status_of(folder)["postgres"]["pid"]
            kill(pid)
            reached = await writing
            assert reached > first
            restarted(folder, "postgres", than=pid, within=20)
            kept = await _numbers(url)
            assert set(range(1, reached)) <= set(kept)
            assert kept[-1] in {reached - 1, reached}  # the one in flight may have been committed, unheard
            first = kept[-1] + 1


async def test_a_server_comes_back_though_a_process_of_the_killed_one_still_holds_the_data(
    temp: Path, folder: Path
) -> None:
    with program(_postgres(folder), _within(temp)) as stack:
        url = stack.says(within=60)["url"]
        async with _connection(url) as connection:
            backend = psutil.Process(await connection.fetchval("SELECT pg_backend_pid()"))
            backend.suspend()  # it cannot notice that its server dies
            pid = status_of(folder)["postgres"]["pid"]
            kill(pid)
            restarted(folder, "postgres", than=pid, within=20)
            assert all_gone([backend], within=20) == []
        assert await _numbers(url) == []


async def test_the_server_survives_the_death_of_one_of_its_processes(temp: Path, folder: Path) -> None:
    with program(_postgres(folder), _within(temp)) as stack:
        url = stack.says(within=60)["url"]
        async with _connection(url) as connection:
            await connection.execute("INSERT INTO entry VALUES (1, 'before')")
            kill(await connection.fetchval("SELECT pg_backend_pid()"))
            with pytest.raises(_CUT_OFF):
                await connection.fetchval("SELECT 1")
        for _ in range(200):
            try:
                assert await _numbers(url) == [1]
                break
            except _CUT_OFF:
                await asyncio.wait([asyncio.get_running_loop().create_future()], timeout=0.02)
        else:
            pytest.fail("the server did not take connections again")
        assert status_of(folder)["postgres"]["restarts"] == 0


async def test_a_service_cannot_change_what_it_may_only_add_to(temp: Path, folder: Path) -> None:
    with program(_postgres(folder), _within(temp)) as stack:
        async with _connection(stack.says(within=60)["url"]) as connection:
            await connection.execute("INSERT INTO entry VALUES (1, 'as it was')")
            for change in (
                "UPDATE entry SET words = 'as I like it'",
                "DELETE FROM entry",
                "TRUNCATE entry",
                "DROP TABLE entry",
            ):
                with pytest.raises(InsufficientPrivilegeError):
                    await connection.execute(change)
            with pytest.raises(InsufficientPrivilegeError):
                await connection.execute("CREATE TABLE mine (x int)")


@pytest.mark.parametrize("role", ["books_owner", "books_service"])
async def test_no_role_connects_without_its_password(temp: Path, folder: Path, role: str) -> None:
    with program(_postgres(folder), _within(temp)) as stack:
        home = stack.says(within=60)["home"]
        with pytest.raises(InvalidPasswordError):
            async with _connection(f"postgresql://{role}:guessed@/books?host={home}&port=5432"):
                pass


def test_nobody_else_can_reach_the_socket_or_the_data(temp: Path, folder: Path) -> None:
    with program(_postgres(folder), _within(temp)) as stack:
        home = Path(stack.says(within=60)["home"])
        assert home.stat().st_mode & 0o777 == 0o700


async def test_nothing_is_left_when_the_supervisor_of_a_server_is_killed(temp: Path, folder: Path) -> None:
    with program(_postgres(folder), _within(temp)) as stack:
        async with _connection(stack.says(within=60)["url"]) as connection:
            # In the data folder, so that nothing of it can stay in /dev/shm.
            assert await connection.fetchval("SHOW dynamic_shared_memory_type") == "mmap"
        family = stack.family()
        assert len(family) >= 5
        kill(stack.process.pid)
        assert all_gone(family, within=20) == []
    assert not _creators_of_shared_memory() & {process.pid for process in family}


def test_two_stacks_that_start_at_once_make_one_template(temp: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = temp / "at-once"
    other.mkdir(mode=0o755)
    with program(_postgres(other / "a"), _within(other)) as one, program(_postgres(other / "b"), _within(other)) as two:
        assert one.says(within=60)["event"] == "ready"
        assert two.says(within=60)["event"] == "ready"
        assert len([path for path in (other / f"deskworld-{os.geteuid()}" / "cache").iterdir() if path.is_dir()]) == 1


def test_a_template_that_lost_files_is_made_again(temp: Path, folder: Path) -> None:
    with program(_postgres(folder), _within(temp)) as stack:
        assert stack.says(within=60)["event"] == "ready"
    (template,) = (path for path in (temp / f"deskworld-{os.geteuid()}" / "cache").glob("template-*") if path.is_dir())
    (template / "data" / "PG_VERSION").unlink()
    with program(_postgres(folder.with_name("again")), _within(temp)) as stack:
        assert stack.says(within=60)["event"] == "ready"
    assert (template / "data" / "PG_VERSION").exists()


def test_a_path_too_long_for_a_socket_is_evaded(temp: Path) -> None:
    deep = temp / ("a-folder-with-quite-a-long-name-" * 3) / "stack"
    with program(_postgres(deep), _within(temp)) as stack:
        said = stack.says(within=60)
        assert said["event"] == "ready"
        assert said["home"].startswith(str(temp / f"deskworld-{os.geteuid()}"))


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small disk")
def test_a_full_disk_is_named_with_what_to_do(temp: Path) -> None:
    small = temp / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=20m,mode=0755", "tmpfs", str(small)], check=True)
    try:
        with program(_postgres(small / "stack"), _within(temp)) as stack:
            said = stack.says(within=60)
            assert said["event"] == "failed"
            assert "o space left on " in said["reason"]
            assert said["next"].startswith("free some disk space")
            assert stack.ends(within=20) == 3
    finally:
        subprocess.run(["umount", "-l", str(small)], check=True)
