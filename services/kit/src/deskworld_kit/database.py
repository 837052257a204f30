"""One engine per service; one request, one transaction."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import event
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine


@dataclass(frozen=True, slots=True)
class Database:
    engine: AsyncEngine
    sessions: async_sessionmaker[AsyncSession]

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncSession]:
        """Commits when the block ends, rolls back when it raises."""
        async with self.sessions() as session, session.begin():
            yield session

    async def close(self) -> None:
        await self.engine.dispose()


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
    event.listen(engine.sync_engine, "checkout", _refuse_closed)
    return Database(engine, async_sessionmaker(engine, expire_on_commit=False))


def _refuse_closed(connection: Any, _record: Any, _proxy: Any) -> None:
    """A database that came back after a crash must not cost one failed request per pooled connection.

    The driver knows without asking the server, which `pool_pre_ping` does at the price of three round trips.
    """
    if connection.driver_connection.is_closed():
        raise DisconnectionError("the connection was closed while it was in the pool")
