"""A kept mail as it can be read now."""

import asyncio
from dataclasses import replace

from deskworld_desk.letters.tables import Mail
from deskworld_desk.mail.parse import Parsed, parse

SHORT = 20_000  # octets


async def parsed_of(mail: Mail) -> Parsed:
    """A long one takes its time to parse, and nobody else should wait for it. One that is not whole has no text."""
    if not mail.whole:
        return replace(parse(mail.raw + b"\r\n\r\n"), unreadable="it is larger than the desk fetches", text="")
    return parse(mail.raw) if len(mail.raw) < SHORT else await asyncio.to_thread(parse, mail.raw)
