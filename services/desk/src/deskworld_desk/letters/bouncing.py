"""A bounce fails the recipients whom it names. Nobody reads its words: an address that it offers is none of record."""

from deskworld_desk.cases.docket import Docket
from deskworld_desk.cases.tables import Case
from deskworld_desk.desk import Desk
from deskworld_desk.letters.tables import Letter, Mail
from deskworld_desk.letters.unsent import reached_nobody
from deskworld_desk.mail.bounce import Delivery
from deskworld_desk.mail.parse import Parsed
from deskworld_desk.timeline.kinds import Actor, MailBounced
from deskworld_desk.timeline.kinds import Delivery as Told

ACTIONS = frozenset({"failed", "delayed", "delivered", "relayed", "expanded"})  # RFC 3464, 2.3.3


async def bounced(docket: Docket, desk: Desk, case: Case, letter: Letter, mail: Mail, parsed: Parsed) -> None:
    """What a notification says of this letter's own recipients. One that has a return path is none (RFC 3464, 2), and
    nobody else's address fails anybody. Once nobody is left whom the letter may have reached, the case is told."""
    if parsed.envelope_from != "":
        return
    recipients = {address.lower(): address for address in letter.recipients}
    named = [each for each in parsed.deliveries if each.recipient.lower() in recipients and each.action in ACTIONS]
    if not named:
        return
    told = tuple(_told(recipients[each.recipient.lower()], each) for each in named)
    entry = MailBounced(mail_id=mail.id, letter_id=letter.id, deliveries=told)
    row = docket.write(case, entry, Actor(type="desk", id="mail"), mail.seq)
    lost = {each.address for each in told if each.action == "failed"}
    if not lost:
        return
    letter.failed = sorted({*letter.failed, *lost})
    if set(letter.failed) < set(letter.recipients) or not letter.awaited:
        return
    letter.state, letter.awaited = "UNSENT", False
    await reached_nobody(docket, desk, case, row)


def _told(address: str, delivery: Delivery) -> Told:
    return Told.model_validate({"address": address, "action": delivery.action, "status": delivery.status[:20]})
