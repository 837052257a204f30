"""Mail that joins no case is set aside for AP managers, once, and no agent ever sees it."""

from typing import Literal

from sqlalchemy import select, text

from deskworld_desk.cases.docket import DESK, Docket
from deskworld_desk.desk import Desk
from deskworld_desk.letters.tables import Mail
from deskworld_desk.mail.parse import Parsed
from deskworld_desk.timeline.kinds import MailSetAside

Why = Literal["unmatched", "unreadable", "too-large"]

# two deliveries of one message are worked on one after the other, or both would find themselves to be the first
_LOCK = text("SELECT pg_advisory_xact_lock(('x' || left(:digest, 15))::bit(60)::bigint)")


async def set_aside(desk: Desk, mail_id: str, parsed: Parsed | None, why: Why) -> None:
    """`parsed` None: nothing is known of it but its octets."""
    async with desk.dockets.of_record(None) as docket:
        mail = await docket.session.get_one(Mail, mail_id)
        if mail.state != "STORED":
            return
        mail.message_id = parsed.message_id if parsed else None
        if await repeated(docket, mail):
            mail.state = "REPEATED"
            return
        mail.state, mail.why = "ASIDE", why
        entry = MailSetAside(
            mail_id=mail.id,
            message_id=mail.message_id,
            digest=docket.keep({"raw": mail.raw.decode("latin-1")}),
            envelope_from=parsed.envelope_from if parsed else None,
            why=why,
        )
        docket.write_own(entry, DESK)


async def repeated(docket: Docket, mail: Mail) -> bool:
    """The same Message-ID and the same octets are the same message, however often and by whatever way it comes."""
    await docket.session.execute(_LOCK, {"digest": mail.digest})
    other = await docket.session.scalar(
        select(Mail.id)
        .where(
            Mail.digest == mail.digest,
            # a message that nobody could parse has no id that is known: its octets say enough
            (Mail.message_id == mail.message_id) if mail.message_id is not None else Mail.message_id.is_(None),
            Mail.id != mail.id,
            Mail.state.in_(("JOINED", "DONE", "ASIDE", "DISMISSED")),
        )
        .limit(1)
    )
    return other is not None
