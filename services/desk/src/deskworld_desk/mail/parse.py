"""From the octets of a message to what the desk may know of it. Never raises: what cannot be read is said in words."""

import re
from dataclasses import dataclass
from email import policy
from email.message import Message
from email.parser import BytesParser
from typing import Any

from deskworld_desk.mail import headers
from deskworld_desk.mail.automatic import Kind, kind_of
from deskworld_desk.mail.bounce import Delivery, deliveries, returned
from deskworld_desk.mail.headers import HEADER_LIMIT, Defects
from deskworld_desk.mail.words import attachments, body_of, parts

# A message of more parts within parts than this is made to keep a reader busy.
BOUNDARIES_LIMIT = 200

DESCRIBED_LIMIT = 4_000
_CONTENT = re.compile(rb"^content-[^\n]*(?:\n[ \t][^\n]*)*", re.IGNORECASE | re.MULTILINE)

DOUBTFUL = frozenset({"alternatives-disagree", "html-hidden-text", "only-quoted", "characters-replaced"})
"""Defects with which no claim of the message may become a fact."""
HALF_READ = frozenset({"text-truncated", "too-many-parts"})
"""Defects that leave some of the message unread."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """`returned`: of a bounce, the ids of the message that came back. `versions`: the own words of plain text and of
    HTML where the two say different things; `text` then holds both. `attachments`: their names.
    """

    message_id: str | None
    in_reply_to: tuple[str, ...]
    references: tuple[str, ...]
    subject: str
    header_from: str | None
    envelope_from: str | None
    delivered_to: str | None
    text: str
    kind: Kind
    defects: tuple[str, ...]
    unreadable: str | None
    returned: tuple[str, ...] = ()
    deliveries: tuple[Delivery, ...] = ()
    versions: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()


def parse(raw: bytes) -> Parsed:
    """Tried with the modern policy, then with the one that does not look into headers; then given up, in words."""
    if raw.lower().count(b"boundary=") > BOUNDARIES_LIMIT:
        return given_up("too many parts within parts")
    strict: tuple[Any, tuple[str, ...]] = (policy.default, ())
    lenient: tuple[Any, tuple[str, ...]] = (policy.compat32, ("headers-broken",))
    attempts = (strict, lenient) if _described(raw) <= DESCRIBED_LIMIT else ((policy.compat32, ()),)
    failure = ""
    for rules, known in attempts:
        try:
            return _read(raw, rules, Defects(list(known)))
        except Exception as error:  # noqa: BLE001 - the parser's own bugs; the message is kept and shown to a person
            failure = type(error).__name__
    return given_up(f"no parser could read it: {failure}")


def _described(raw: bytes) -> int:
    """Octets of the fields that say what the parts are: the strict parser takes milliseconds for a long one, and reads
    each several times."""
    return sum(len(found.group()) for found in _CONTENT.finditer(raw))


def given_up(why: str) -> Parsed:
    """What is known of a message that nothing could be read of."""
    return Parsed(
        message_id=None,
        in_reply_to=(),
        references=(),
        subject="",
        header_from=None,
        envelope_from=None,
        delivered_to=None,
        text="",
        kind="answer",
        defects=("unparseable",),
        unreadable=why,
    )


def _read(raw: bytes, rules: Any, defects: Defects) -> Parsed:
    message: Message = BytesParser(policy=rules).parsebytes(raw)
    if rules is policy.default and headers.longest(message) > HEADER_LIMIT:
        raise ValueError("a header too long for the strict parser")
    _structure(message, defects)
    body = body_of(message, defects)
    kind = kind_of(message, body.text)
    bounced = kind == "bounce"
    return Parsed(
        message_id=headers.message_id(message, defects),
        in_reply_to=headers.all_ids(message, "In-Reply-To"),
        references=headers.all_ids(message, "References"),
        subject=headers.text(message, "Subject", defects),
        header_from=headers.header_from(message, defects),
        envelope_from=headers.envelope_from(message),
        delivered_to=headers.delivered_to(message),
        text=body.text,
        kind=kind,
        defects=tuple(defects.found),
        unreadable=body.unreadable,
        returned=returned(message) if bounced else (),
        deliveries=deliveries(message) if bounced else (),
        versions=body.versions,
        attachments=attachments(message),
    )


def _structure(message: Message, defects: Defects) -> None:
    for part in parts(message):
        for defect in part.defects:
            name = re.sub(r"(?<!^)(?=[A-Z])", "-", type(defect).__name__).lower().removesuffix("-defect")
            defects.add(f"mime-{name}")
