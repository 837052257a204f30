"""A posting: what one transaction writes into documents, audit and outbox."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, select

from deskworld_erp.audit.chain import Entry
from deskworld_erp.closing import Made, closing
from deskworld_erp.events.tables import deliveries, outbox
from deskworld_erp.office_time import office_now
from deskworld_kit import clock
from deskworld_kit.lean import LeanConnection, Sent
from deskworld_kit.outbox import OutgoingEvent


@dataclass(frozen=True, slots=True)
class Actor:
    client: str
    user: Mapping[str, Any] | None
    """`{username, sub}`; `sub` is None where the stage door acts for a named person."""

    @property
    def name(self) -> str:
        return self.client if self.user is None else str(self.user["username"])


@dataclass(slots=True)
class Posting:
    """Collects audit rows and events and writes them at the very end, where all writers queue: keep that part short.

    `vendor_id`: whose lock it took last. `vendor_locked`: whether the vendor of the invoice that a command names was
    locked when the command's key was taken."""

    connection: LeanConnection
    actor: Actor
    at: datetime = field(default_factory=clock.now)
    vendor_id: str | None = None
    vendor_locked: bool = False
    entries: list[Entry] = field(default_factory=list)
    events: list[OutgoingEvent] = field(default_factory=list)
    last: list[Sent] = field(default_factory=list)
    """Fixed statements whose answers nobody waits for: they leave with the audit."""
    made: Made | None = None
    kept: Mapping[str, Any] | None = None
    """What is to be kept under the key of the request: written together with the audit."""
    announced: bool = True
    """False: the events stand in the feed, and no receiver is sent them."""

    async def lock(self, statement: Select[Any], values: Mapping[str, Any]) -> str | None:
        """Takes a vendor's lock (`book.lock_statement`); what follows is posted at that vendor's office time.

        Gives the vendor's id, or None when there is no such vendor."""
        row = (await self.connection.execute(statement, values)).first()
        return None if row is None else self.locked(row.id, row.office_ahead)

    def locked(self, vendor_id: str, office_ahead: timedelta) -> str:
        self.at = office_now(office_ahead)
        self.vendor_id = vendor_id
        return vendor_id

    @property
    def published(self) -> bool:
        return bool(self.events)

    def audit(
        self,
        kind: str,
        entity_id: str,
        vendor_id: str,
        action: str,
        detail: Mapping[str, Any],
        *,
        decision_id: str | None = None,
    ) -> None:
        self.entries.append(
            Entry(
                at=self.at,
                entity_kind=kind,
                entity_id=entity_id,
                vendor_id=vendor_id,
                action=action,
                client=self.actor.client,
                user=self.actor.user,
                decision_id=decision_id,
                detail=detail,
            )
        )

    async def close(self) -> None:
        """With the commit, where there is nothing to do after it."""
        if not self.entries:
            assert not self.events and not self.last and self.kept is None  # noqa: PT018, S101 - whatever is told or kept is audited
            return
        sent = [*self.last, closing(self.entries, self.events, self.kept, self.made)]
        if self.announced:
            await self.connection.commit_with(*sent)
            return
        for statement, values in sent:
            await self.connection.execute(statement, values)
        mine = select(outbox.c.seq).where(outbox.c.id.in_([one.id for one in self.events]))
        await self.connection.execute(deliveries.delete().where(deliveries.c.seq.in_(mine)))
