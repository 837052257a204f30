"""What in a message ties it to a case: the tokens and the words of its subject, and whether its sender is somebody the
case wrote to."""

import re
from collections.abc import Collection

from deskworld_desk.mail.message import TOKEN
from deskworld_desk.mail.parse import Parsed

# How mail programs of many languages begin the subject of an answer or of what they pass on: "Re:", "AW:", "Re[2]:".
_PREFIX = re.compile(
    r"\s*(?:re|aw|antw|antwort|sv|vs|odp|ynt|ref|rif|res|rép|r|fwd?|wg|tr|rv|vb|doorst|i|enc)"
    r"\s?(?:\[\d{1,3}\]|\(\d{1,3}\))?\s?[:：]|\s*external\s?:",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"\[[^\[\]]{0,60}\]")


def bare_subject(subject: str) -> str:
    """The subject without prefixes and without what stands in brackets, such as tokens, ticket numbers, [EXTERNAL]."""
    bare = _BRACKETED.sub(" ", subject)
    while found := _PREFIX.match(bare):
        bare = bare[found.end() :]
    return " ".join(bare.split()).casefold()


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
