"""Mail: each door greets, and a letter that is handed in comes to the counterparties' mailbox."""

import asyncio
import secrets
from email.message import EmailMessage
from email.utils import format_datetime

from deskworld.doors import clock
from deskworld.doors.mail import Outside
from deskworld.doors.probe import banner
from deskworld.errors import DoorFailed
from deskworld.values.record import MailSeen
from deskworld.values.stack import Address, Stack

OPEN_SECONDS = ARRIVAL_SECONDS = 15.0
"""A doctor is called on machines that are busy."""
DOMAIN = "doctor.outside.example"
GREETINGS = {"IMAP": b"* OK"}


async def greets(name: str, address: Address) -> str:
    """Raises DoorFailed."""
    return await banner(name, address, GREETINGS.get(name, b"220"))


async def arrives(stack: Stack, within: float = ARRIVAL_SECONDS) -> str:
    """Raises DoorFailed: not taken, not seen in time, or the mailbox cannot be watched."""
    here = f"probe-{secrets.token_hex(6)}@{DOMAIN}"
    seen: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def heard(mail: MailSeen) -> None:
        if mail.recipient == here and not seen.done():
            seen.set_result(None)

    # where nobody is, no patience is needed to say so
    await greets("IMAP", stack.imap)
    await greets("SMTP", stack.smtp)
    outside = Outside(stack, on_mail=heard, on_broken=lambda _: None)
    try:
        await outside.open(within=OPEN_SECONDS)
        began = clock.monotonic()
        await outside.send(_letter(here), sender=f"doctor@{DOMAIN}", recipient=here)
        await asyncio.wait_for(seen, within)
    except TimeoutError:
        raise DoorFailed(
            f"mail does not arrive: a letter to {here} was taken at {stack.smtp.host}:{stack.smtp.port}, "
            f"and not seen at {stack.imap.host}:{stack.imap.port} within {within:.0f} s",
            next_step="are both doors of the same mail server? its log says where the letter went",
        ) from None
    finally:
        await outside.close()
    return f"a letter was there after {(clock.monotonic() - began) * 1000:.0f} ms"


def _letter(recipient: str) -> bytes:
    letter = EmailMessage()
    letter["From"] = f"doctor@{DOMAIN}"
    letter["To"] = recipient
    letter["Subject"] = "Does mail arrive?"
    letter["Date"] = format_datetime(clock.now())
    letter["Message-ID"] = f"<{secrets.token_hex(12)}@{DOMAIN}>"
    letter.set_content("A probe of `harness doctor`. It belongs to no case.")
    return letter.as_bytes()
