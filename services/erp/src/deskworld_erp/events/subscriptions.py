"""Who else is sent the events: put on the list by a person, signed with a secret that is told once."""

import secrets
from typing import Any

from sqlalchemy import Row, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.documents.authority import may
from deskworld_erp.erp import Erp, acting
from deskworld_erp.events.tables import WEBHOOK, deliveries, outbox, receivers
from deskworld_erp.fields import moment_text
from deskworld_erp.invoicing.rules.authority import Duty
from deskworld_kit.answers import not_found
from deskworld_kit.identity import Principal
from deskworld_kit.ids import new_id
from deskworld_kit.outbox import dead_letters, send_again
from deskworld_kit.problems import Problem

MOST = 8
"""Each receiver has a connection to the database of its own."""
NO_VENDOR = ""

_WAITING = func.count().filter(deliveries.c.sent < deliveries.c.wanted, deliveries.c.dead_at.is_(None))
_DEAD = func.count().filter(deliveries.c.dead_at.is_not(None))
_COUNTS = (
    select(_WAITING.label("waiting"), _DEAD.label("dead"), func.max(deliveries.c.last_error).label("last_error"))
    .where(deliveries.c.receiver == receivers.c.name)
    .where((deliveries.c.sent < deliveries.c.wanted) | deliveries.c.dead_at.is_not(None))
    .lateral()
)
_ALL = select(receivers, _COUNTS).where(receivers.c.active).order_by(receivers.c.at, receivers.c.name)


async def subscriptions(connection: AsyncConnection) -> list[dict[str, Any]]:
    """In the order in which they were made, without their secrets."""
    return [_view(row) for row in await connection.execute(_ALL)]


async def subscribe(erp: Erp, who: Principal, url: str) -> dict[str, Any]:
    """Gets what is published from now on. Raises Problem: NOT_AUTHORISED, TOO_MANY_SUBSCRIPTIONS."""
    name, secret = new_id(), secrets.token_urlsafe(32)
    async with erp.posting(acting(who)) as posting:
        await may(erp, posting, Duty.MANAGE_EVENTS)
        # so that two at once do not both find room for one
        await posting.connection.execute(select(func.pg_advisory_xact_lock(func.hashtext("outbox:receivers"))))
        count = select(func.count()).select_from(receivers).where(receivers.c.active)
        if (await posting.connection.execute(count)).scalar_one() >= MOST:
            raise Problem(409, "TOO_MANY_SUBSCRIPTIONS", f"There are {MOST} already; end one first.", most=MOST)
        new = {"name": name, "url": url, "secret": secret, "active": True, "made_by": who.username, "at": posting.at}
        await posting.connection.execute(receivers.insert().values(new))
        posting.audit("subscription", name, NO_VENDOR, "subscribe", {"url": url})
    _tell(erp)
    made = {"id": name, "url": url, "made_by": who.username, "at": moment_text(posting.at)}
    return made | {"waiting": 0, "dead": 0, "last_error": None, "secret": secret}


async def unsubscribe(erp: Erp, who: Principal, name: str) -> None:
    """What it was still to be sent is not sent. Raises Problem: NOT_AUTHORISED, NOT_FOUND, IN_SETTINGS."""
    async with erp.posting(acting(who)) as posting:
        await may(erp, posting, Duty.MANAGE_EVENTS)
        if name == WEBHOOK:
            raise Problem(409, "IN_SETTINGS", "This one stands in the service's settings.", subscription=name)
        gone = await posting.connection.execute(receivers.delete().where(receivers.c.name == name))
        if gone.rowcount != 1:
            raise not_found("subscription", subscription=name)
        posting.audit("subscription", name, NO_VENDOR, "unsubscribe", {})
    _tell(erp)


async def resend(erp: Erp, who: Principal, event_id: str, receiver: str | None) -> dict[str, Any]:
    """A dead letter once more, to whom it did not reach. Raises Problem: NOT_AUTHORISED, NOT_FOUND."""
    async with erp.posting(acting(who)) as posting:
        await may(erp, posting, Duty.MANAGE_EVENTS)
        dead = await dead_letters(posting.connection, outbox, event_id=event_id)
        wanted = [one for one in dead if receiver in (None, one.receiver)]
        if not wanted:
            raise not_found("dead letter", event_id=event_id, receiver=receiver)
        for one in wanted:
            await send_again(posting.connection, outbox, event_id, receiver=one.receiver)
        names = [one.receiver for one in wanted]
        posting.audit("event", event_id, wanted[0].scope, "resend", {"receivers": names})
    if erp.dispatchers is not None:
        erp.dispatchers.rescan()
    return {"event_id": event_id, "receivers": names}


def _tell(erp: Erp) -> None:
    if erp.dispatchers is not None:
        erp.dispatchers.changed()


def _view(row: Row[Any]) -> dict[str, Any]:
    return {
        "id": row.name,
        "url": row.url,
        "made_by": row.made_by,
        "at": moment_text(row.at),
        "waiting": row.waiting,
        "dead": row.dead,
        "last_error": row.last_error,
    }
