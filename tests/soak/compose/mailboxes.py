"""Mailboxes as whoever owns them reads them: how often each message is there."""

import asyncio
import imaplib
import re
from collections import Counter

from tests.soak.compose.engine import Engine

from deskworld.doors.mail import LOGIN
from deskworld.stack import compose
from deskworld.values.stack import Address

SECONDS = 30.0
_NAMED = re.compile(rb"Message-ID:\s*(\S+)", re.IGNORECASE)


async def counterparties(engine: Engine) -> Counter[str]:
    return await box(engine.stack.imap, LOGIN, engine.stack.secrets.counterparty_mailbox)


async def staff(engine: Engine) -> Counter[str]:
    return await box(engine.stack.imap, "staff", compose.secret(engine.settings, "staff_mailbox"))


async def desk(engine: Engine) -> Counter[str]:
    return await box(engine.stack.imap, "desk", compose.secret(engine.settings, "desk_mailbox"))


async def box(imap: Address, login: str, password: str) -> Counter[str]:
    """Message-IDs of all that lies in the login's mailbox, each with how many messages bear it."""
    return await asyncio.to_thread(_read, imap.host, imap.port, login, password)


def _read(host: str, port: int, login: str, password: str) -> Counter[str]:
    with imaplib.IMAP4(host, port, timeout=SECONDS) as box:
        box.login(login, password)
        _, (number,) = box.select("INBOX", readonly=True)
        if number == b"0":
            return Counter()
        _, answers = box.fetch("1:*", "(BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])")
    heads = [bytes(answer[1]) for answer in answers if isinstance(answer, tuple)]
    return Counter(found.group(1).decode() for head in heads if (found := _NAMED.search(head)))
