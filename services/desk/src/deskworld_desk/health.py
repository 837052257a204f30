"""Whether a case could be seeded and worked now: what of the things that the desk needs is not there, in words."""

from collections.abc import Collection, Mapping

import structlog
from sqlalchemy import func, select

from deskworld_desk.mail.listener import ListenerState
from deskworld_desk.mail.sender import MailUnavailable, Sender
from deskworld_desk.policy_client import PolicyClient
from deskworld_desk.timeline.tables import StreamHead
from deskworld_kit.database import Database
from deskworld_kit.health import Check, Unwell

log = structlog.get_logger(__name__)


class Ear:
    """What the mailbox's listener last said of itself; all that it says is logged."""

    def __init__(self) -> None:
        self._listening = False
        self._trouble = "the first connection is being made"

    def told(self, state: ListenerState) -> None:
        log.info("mailbox", state=state.name, detail=state.detail)
        if state.name == "stuck":
            # that is about one message, which a person will see; the ear goes on listening
            return
        self._listening = state.name == "listening"
        if state.name == "unavailable":
            self._trouble = state.detail.partition("\n")[0]

    async def check(self) -> None:
        if not self._listening:
            raise Unwell(f"nobody listens to the mailbox: {self._trouble}")


def checks(
    db: Database,
    policy: PolicyClient,
    ear: Ear,
    sender: Sender,
    *,
    others: Mapping[str, Check],
    worlds: Collection[str],
) -> Mapping[str, Check]:
    """`others`: what the worlds and the doors need beside; `worlds`: whose policies must decide."""

    async def database() -> None:
        async with db.transaction() as session:
            await session.execute(select(StreamHead.cursor))
            read_only = await session.scalar(select(func.current_setting("transaction_read_only")))
        if read_only != "off":
            raise Unwell("the database takes no writes: transaction_read_only is on")

    async def decides() -> None:
        for world in worlds:
            await policy.decides(world)

    async def submission() -> None:
        try:
            await sender.ready()
        except MailUnavailable as error:
            raise Unwell(str(error)) from error

    return {"database": database, **others, "policy": decides, "mailbox": ear.check, "submission": submission}
