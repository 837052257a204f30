"""What every slice is given: the database, the rules' data, and how far authority is enforced."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from deskworld_erp.invoicing.rules.values import Tolerances
from deskworld_erp.posting import Actor, Posting
from deskworld_kit.database import Database
from deskworld_kit.dispatcher import Dispatcher
from deskworld_kit.identity import Principal
from deskworld_kit.identity_keys import IssuerKeys


@dataclass(frozen=True, slots=True)
class Erp:
    database: Database
    reading: AsyncEngine
    """The same pool, one statement at a time without a transaction: each read is one consistent snapshot."""
    tolerances: Tolerances
    tolerances_digest: str
    enforce: bool
    dispatcher: Dispatcher | None
    keys: IssuerKeys | None = None
    """The issuer's; None where nobody's health depends on them."""

    @asynccontextmanager
    async def posting(self, actor: Actor) -> AsyncIterator[Posting]:
        """One transaction: documents, audit rows and events together, or nothing."""
        async with self.database.engine.begin() as connection:
            posting = Posting(connection, actor)
            yield posting
            await posting.close()
        if posting.published and self.dispatcher is not None:
            self.dispatcher.wake()

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[AsyncConnection]:
        """For reads of several statements that must agree."""
        engine = self.database.engine.execution_options(isolation_level="REPEATABLE READ")
        async with engine.begin() as connection:
            yield connection

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        async with self.reading.connect() as connection:
            yield connection


def acting(who: Principal) -> Actor:
    user: dict[str, Any] | None = {"username": who.username, "sub": who.subject} if who.is_person else None
    return Actor(client=who.client, user=user)
