"""What every slice is given: the connections, the rules' data, and how far authority is enforced."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.faults.live import LiveFaults
from deskworld_erp.invoicing.rules.values import Tolerances
from deskworld_erp.posting import Actor, Posting
from deskworld_kit.dispatchers import Dispatchers
from deskworld_kit.identity import Principal
from deskworld_kit.identity_keys import IssuerKeys
from deskworld_kit.lean import Sent
from deskworld_kit.lending import LeanEngine
from deskworld_kit.rates import Rates


@dataclass(frozen=True, slots=True)
class Erp:
    connections: LeanEngine
    """In autocommit: a statement that is read alone is one consistent snapshot."""
    tolerances: Tolerances
    tolerances_digest: str
    enforce: bool
    dispatchers: Dispatchers | None
    faults: LiveFaults = field(default_factory=LiveFaults)
    call_back_trusted_days: int = 1
    """How many days before a bank change was asked for a number must have been on record, to be called about it."""
    rates: Rates | None = None
    """How much one caller may ask; None: without limit."""
    on_hold_with_date: list[Callable[[], None]] = field(default_factory=list)
    """Called when a hold with a date may have been placed."""
    keys: IssuerKeys | None = None
    """The issuer's; None where nobody's health depends on them."""

    @asynccontextmanager
    async def posting(self, actor: Actor, *, first: Sent | None = None) -> AsyncIterator[Posting]:
        """One transaction: documents, audit rows and events together, or nothing. `first`: as `LeanEngine.begun`."""
        async with self.connections.begun(first=first) as connection:
            posting = Posting(connection, actor)
            yield posting
            await posting.close()
        if posting.published and self.dispatchers is not None:
            self.dispatchers.wake()

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[AsyncConnection]:
        """For reads of several statements that must agree."""
        async with self.connections.begun("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") as connection:
            yield connection

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        async with self.connections.lent() as connection:
            yield connection


class StagedPerson(Principal):
    """A named person for whom the stage door acts, without a token. What they may do is the authority's to say."""

    @property
    def is_person(self) -> bool:
        return True


def acting(who: Principal) -> Actor:
    if isinstance(who, StagedPerson):
        return Actor(client=who.client, user={"username": who.username, "sub": None})
    user: dict[str, Any] | None = {"username": who.username, "sub": who.subject} if who.is_person else None
    return Actor(client=who.client, user=user)
