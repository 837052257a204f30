"""Who has a connection when: those that were used last are at hand, started, and lent again first.

To take one from SQLAlchemy's pool and to give it back costs as much as two statements."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Self, cast

from asyncpg.exceptions import InterfaceError, InternalClientError
from sqlalchemy.engine import Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from deskworld_kit.clock import monotonic
from deskworld_kit.lean import FAILURES, LeanConnection, Sent
from deskworld_kit.outage import is_outage

Ask = Callable[[LeanConnection], Awaitable[None]]
QUIET_SECONDS = 1.0
"""A connection that nobody has used for so long is asked whether it lives before it is lent. The end of one that was
used a moment ago has been heard of, or will cost the one request that it falls on."""


class LeanEngine(AsyncEngine):
    """Lends the connections of another engine's pool as LeanConnections. Use the pool through it alone: it keeps as
    many as the pool would, and whoever waits at the pool itself is not seen."""

    _connection_cls = LeanConnection

    def __init__(self, sync_engine: Engine) -> None:
        super().__init__(sync_engine)
        self._at_hand: list[tuple[LeanConnection, float]] = []
        self._most = cast("Any", sync_engine.pool).size()
        self._awaited = 0

    @classmethod
    def of(cls, engine: AsyncEngine) -> Self:
        return cls(engine.sync_engine.execution_options(isolation_level="AUTOCOMMIT"))

    @asynccontextmanager
    async def lent(self) -> AsyncIterator[LeanConnection]:
        connection = await self._taken(_lives)
        try:
            yield connection
        finally:
            await self._back(connection)

    @asynccontextmanager
    async def begun(self, how: str = "BEGIN", *, first: Sent | None = None) -> AsyncIterator[LeanConnection]:
        """In a transaction: it commits when the block ends, and rolls back when it raises. `first` is done when the
        block begins; `found` tells how many rows it was about."""
        connection = await self._taken(lambda one: one.begin_as(how, first))
        try:
            yield connection
            if not connection.committed:
                await connection.commit_begun()
        except BaseException:
            await _roll_back(connection)
            raise
        finally:
            await self._back(connection)

    async def dispose(self, close: bool = True) -> None:  # noqa: FBT001, FBT002 - SQLAlchemy's own
        while self._at_hand:
            connection, _ = self._at_hand.pop()
            await connection.close()
        await super().dispose(close)

    async def _taken(self, ask: Ask) -> LeanConnection:
        """A connection that answered. What is asked first is also the question whether it lives: that alone is asked
        of another one when it was the connection that failed. A database that came back after a crash must not cost
        one failed request per connection."""
        while self._at_hand:
            connection, since = self._at_hand.pop()
            if ask is _lives and monotonic() - since < QUIET_SECONDS and not connection.driver.is_closed():
                return connection
            try:
                await self._asked(connection, ask)
            except (DBAPIError, OSError, RuntimeError) as error:
                if not _lost(error):
                    raise
            else:
                return connection
        connection = cast("LeanConnection", self.connect())
        self._awaited += 1
        try:
            await connection.start()
        finally:
            self._awaited -= 1
        if ask is not _lives:  # it has just been made
            await self._asked(connection, ask)
        return connection

    async def _asked(self, connection: LeanConnection, ask: Ask) -> None:
        try:
            await ask(connection)
        except FAILURES as error:
            # before we end it: whether the server did tells an outage from a refusal
            shown = connection.translated(error, "BEGIN")
            await self._given_up(connection)
            raise shown from error
        except BaseException:
            await self._given_up(connection)
            raise

    async def _given_up(self, connection: LeanConnection) -> None:
        connection.driver.terminate()
        await connection.close()

    async def _back(self, connection: LeanConnection) -> None:
        """In autocommit nothing is sent for it: no cancellation comes between."""
        driver = connection.driver
        if not driver.is_closed() and driver.is_in_transaction():
            driver.terminate()
        if driver.is_closed() or connection.invalidated or self._awaited or len(self._at_hand) >= self._most:
            await connection.close()
            return
        if connection.in_transaction():
            # SQLAlchemy's own book: it noted one when a statement went its way
            await connection.rollback()
        self._at_hand.append((connection, monotonic()))


async def _lives(connection: LeanConnection) -> None:
    await connection.driver.execute("SELECT 1")


def _lost(error: Exception) -> bool:
    return is_outage(error) or isinstance(error.__cause__, (InterfaceError, InternalClientError))


async def _roll_back(connection: LeanConnection) -> None:
    """What made the block end is what is raised. A connection that cannot roll back is given up, and with it what it
    began: nobody may be lent it in the middle of a transaction."""
    if connection.driver.is_closed():
        return
    try:
        await connection.driver.execute("ROLLBACK")
    except BaseException as error:
        connection.driver.terminate()
        if not isinstance(error, FAILURES):
            raise
