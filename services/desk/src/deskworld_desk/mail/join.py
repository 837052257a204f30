"""What in a message ties it to a case: the subject's tokens, and whether the sender is somebody the case wrote to."""

from collections.abc import Collection

from deskworld_desk.mail.message import TOKEN
from deskworld_desk.mail.parse import Parsed


def tokens(subject: str) -> tuple[str, ...]:
    """The tokens a subject carries, each once, upper case, in order."""
    return tuple(dict.fromkeys(found.upper() for found in TOKEN.findall(subject)))


def known_sender(parsed: Parsed, addresses_written_to: Collection[str]) -> bool:
    """True if envelope and header From are one and the same address, and the case wrote to it.

    A missing, doubled or unclear sender is nobody's.
    """
    if not parsed.envelope_from or not parsed.header_from:
        return False
    envelope, header = parsed.envelope_from.lower(), parsed.header_from.lower()
    return envelope == header and header in {address.lower() for address in addresses_written_to}
