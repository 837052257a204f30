"""What a bounce says: which message came back, and what became of each recipient (RFC 3464, RFC 6533)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from email.message import Message

from deskworld_desk.mail import headers
from deskworld_desk.mail.words import octets_of, parts

SEARCHED = 100_000  # octets of a bounce without the report form
DELIVERIES_KEPT = 100

_STATUS = re.compile(r"^(Final-Recipient|Original-Recipient|Action|Status):[ \t]*(.*)$", re.IGNORECASE | re.MULTILINE)
_ID_LINE = re.compile(rb"^message-id:[ \t]*([^\n]*(?:\n[ \t][^\n]*)?)$", re.IGNORECASE | re.MULTILINE)
_REPORTS = {"message/delivery-status", "message/global-delivery-status"}
_WHOLE = {"message/rfc822", "message/global"}
_HEADERS = {"text/rfc822-headers", "message/global-headers"}


@dataclass(frozen=True, slots=True)
class Delivery:
    """What a notification says of one recipient. `action`: failed, delayed, delivered, relayed or expanded."""

    recipient: str
    action: str
    status: str  # 5.1.1


def returned(message: Message) -> tuple[str, ...]:
    """Message ids of what came back, whole or as headers; without a report's form, those that its text quotes."""
    found: list[str] = []
    for part in parts(message):
        kind = part.get_content_type()
        if kind in _WHOLE:
            for each in _inner(part):
                found += headers.all_ids(each, "Message-ID")
        elif kind in _HEADERS:
            found += _quoted(octets_of(part) or _flat(part))
    if not found and message.get_content_maintype() == "text":
        found += _quoted(octets_of(message)[:SEARCHED])
    return tuple(dict.fromkeys(found))[: headers.IDS_KEPT]


def deliveries(message: Message) -> tuple[Delivery, ...]:
    """Each recipient once, the last word about them. Exim names in a header of its own who was not reached."""
    found: dict[str, Delivery] = {}
    for part in parts(message):
        if part.get_content_type() in _REPORTS:
            for each in _reported(headers.storable(_flat(part).decode("utf-8", "replace"))):
                found[each.recipient.lower()] = each
    for value in headers.raw_values(message, "X-Failed-Recipients"):
        for address in value.split(","):
            if address.strip():
                found.setdefault(address.strip().lower(), Delivery(address.strip(), "failed", "5.0.0"))
    return tuple(found.values())[:DELIVERIES_KEPT]


def _reported(text: str) -> Iterable[Delivery]:
    """One group of fields for each recipient, an empty line between them."""
    for block in re.split(r"\r?\n[ \t]*\r?\n", text):
        fields = {name.lower(): value.strip() for name, value in _STATUS.findall(block)}
        named = fields.get("original-recipient") or fields.get("final-recipient", "")
        address = named.partition(";")[2].strip() or named
        if address:
            yield Delivery(address, fields.get("action", "").lower(), fields.get("status", "").split(" ")[0])


def _flat(part: Message) -> bytes:
    """The part's octets, however the parser took it apart."""
    blocks = list(_inner(part))
    if not blocks:
        return octets_of(part)
    return b"\n\n".join(_fields(block) for block in blocks)


def _fields(block: Message) -> bytes:
    lines = [f"{name}: {' '.join(str(value).split())}" for name, value in block.raw_items()]
    body = block.get_payload()
    return "\n".join([*lines, "", body if isinstance(body, str) else ""]).encode("utf-8", "replace")


def _inner(part: Message) -> Iterable[Message]:
    inner = part.get_payload()
    return [each for each in inner if isinstance(each, Message)] if isinstance(inner, list) else []


def _quoted(octets: bytes) -> list[str]:
    plain = octets.replace(b"\r\n", b"\n")
    return [each for line in _ID_LINE.findall(plain) for each in headers.ids(line.decode("ascii", "replace"))]
