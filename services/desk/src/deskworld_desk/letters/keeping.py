"""What comes in is kept byte for byte before anything looks into it."""

import hashlib
from functools import partial

from sqlalchemy import Select, select
from sqlalchemy.dialects.postgresql import Insert, insert

from deskworld_desk.desk import Desk
from deskworld_desk.letters.setting_aside import set_aside
from deskworld_desk.letters.tables import Mail
from deskworld_desk.mail.listener import Incoming
from deskworld_desk.mail.trace import identity
from deskworld_desk.outage import persistently
from deskworld_kit import clock, ids

UNDONE = ("STORED", "JOINED")


async def last_position(desk: Desk) -> tuple[int, int] | None:
    """UIDVALIDITY and UID of the last message that was kept."""
    async with desk.db.transaction() as session:
        found = await session.execute(select(Mail.uidvalidity, Mail.uid).order_by(Mail.id.desc()).limit(1))
        row = found.one_or_none()
    return (row[0], row[1]) if row else None


async def take_mail(desk: Desk, incoming: Incoming) -> None:
    """Returns once the message is kept; what follows is picked up again after a restart. An outage says nothing about
    the message, so it is outlasted here."""
    mail_id = await persistently(partial(_keep, desk, incoming), doing=f"keeping message {incoming.uid}")
    if mail_id is not None:
        desk.incoming.put(mail_id)


async def set_aside_unread(desk: Desk, incoming: Incoming, _error: Exception) -> None:
    """A message that could not be kept in the usual way three times: only its octets are kept, and a person is told."""
    async with desk.db.transaction() as session:
        await session.execute(_stored(ids.new_id(), incoming))
        kept = await session.scalar(_at(incoming))
    if kept is not None:
        await set_aside(desk, kept, None, "unreadable")


async def _keep(desk: Desk, incoming: Incoming) -> str | None:
    """The id of the mail while there is work to do on it. It may have been kept by a try whose commit nobody heard."""
    async with desk.db.transaction() as session:
        await session.execute(_stored(ids.new_id(), incoming))
        return await session.scalar(_at(incoming).where(Mail.state.in_(UNDONE)))


def _at(incoming: Incoming) -> Select[str]:
    return select(Mail.id).where(Mail.uidvalidity == incoming.uidvalidity, Mail.uid == incoming.uid)


def _stored(mail_id: str, incoming: Incoming) -> Insert:
    """Once per place in the mailbox, however often it is told."""
    values = {
        "id": mail_id,
        "uidvalidity": incoming.uidvalidity,
        "uid": incoming.uid,
        "raw": incoming.raw,
        "size": incoming.size,
        "whole": incoming.whole,
        "digest": _digest(incoming),
        "state": "STORED",
        "received_at": clock.now(),
    }
    return insert(Mail).values(values).on_conflict_do_nothing()


def _digest(incoming: Incoming) -> str:
    """Of a message whose octets could not be had its place is all that tells it from another."""
    if incoming.whole or incoming.raw:
        return identity(incoming.raw)
    return hashlib.sha256(f"{incoming.uidvalidity} {incoming.uid}".encode()).hexdigest()
