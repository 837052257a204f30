"""One engine per service; one request, one transaction."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import event
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine

_FRESH = "made, and never lent"
_SNAPSHOT = {"isolation_level": "REPEATABLE READ"}
AS_ONE = "its reads see what the first of them saw"


@dataclass(frozen=True, slots=True)
class Database:
    engine: AsyncEngine
    sessions: async_sessionmaker[AsyncSession]

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncSession]:
        """Commits when the block ends, rolls back when it raises."""
        async with self.sessions() as session, session.begin():
            yield session

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[AsyncSession]:
        """For reads of several statements that must agree: all of them see what the first one saw."""
        async with self.sessions() as session, session.begin():
            await session.connection(execution_options=_SNAPSHOT)
            yield session

    async def close(self) -> None:
        await self.engine.dispose()


async def check_snapshot(session: AsyncSession) -> None:
    """Raises AssertionError where several reads might not agree, because `session` is not of `Database.snapshot`."""
    if session.info.get(AS_ONE):
        return
    within = (await session.connection()).sync_connection
    if within is None or _SNAPSHOT.items() - within.get_execution_options().items():
        raise AssertionError("these reads must agree: open Database.snapshot for them")


def database(url: str, *, pool: int = 5, overflow: int = 15) -> Database:
    """Connects lazily. `url` is `postgresql+asyncpg://…`; `postgresql://…` is taken as the same."""
    if url.startswith("postgresql://"):
        url = "postgresql+asyncpg://" + url.removeprefix("postgresql://")
    engine = create_async_engine(
        url,
        pool_size=pool,
        max_overflow=overflow,
        pool_timeout=20,
    )
    _never_lend_dead_connections(engine)
    return Database(engine, async_sessionmaker(engine, expire_on_commit=False))


def _never_lend_dead_connections(engine: AsyncEngine) -> None:
    """A database that came back after a crash must not cost one failed request per pooled connection.

    As `pool_pre_ping` does, but with a simple query: one round trip where the driver's own ping takes three. A
    connection that has just been made is not taken for dead, and not asked for nothing: the pool gives up after two
    dead ones in a row, with an error that does not tell a lost connection from a misuse.
    """

    def note_fresh(_connection: Any, record: Any) -> None:
        record.info[_FRESH] = True

    def refuse_dead(connection: Any, record: Any, _proxy: Any) -> None:
        if record.info.pop(_FRESH, False):
            return
        try:
            connection.run_async(lambda driver: driver.execute("SELECT 1"))
        except Exception as error:
            raise DisconnectionError("the connection was closed while it was in the pool") from error

    event.listen(engine.sync_engine, "connect", note_fresh)
    event.listen(engine.sync_engine, "checkout", refuse_dead)
