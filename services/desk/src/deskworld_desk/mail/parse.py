"""From the octets of a message to what the desk may know of it. Never raises: what cannot be read is said in words."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from email import policy
from email.message import Message
from email.parser import BytesParser
from typing import Any, Literal

from deskworld_desk.mail import headers
from deskworld_desk.mail.headers import HEADER_LIMIT, Defects
from deskworld_desk.mail.words import PARTS_LIMIT, Body, body_of, octets_of

# A message of more parts within parts than this is made to keep a reader busy.
BOUNDARIES_LIMIT = 200

Kind = Literal["answer", "auto-reply", "bounce", "calendar"]

_AUTO_SUBJECT = re.compile(
    r"\s*(?:\[[^\]]{0,40}\]\s*)?(?:auto(?:matic|mated)?[ -]?(?:reply|response|antwort)|"
    r"automatische (?:antwort|rückmeldung)|"
    r"out of (?:the )?office|abwesenheits?(?:notiz|meldung|nachricht)?\b|abwesend|nicht im büro|réponse automatique|"
    r"absence du bureau|absent du bureau|respuesta automática|fuera de la oficina|risposta automatica|"
    r"(?:ticket|case|request) (?:received|created|opened|acknowledg\w+)\b)",
    re.IGNORECASE,
)
_BOUNCE_SUBJECT = re.compile(
    r"\s*(?:undeliver(?:able|ed)|delivery (?:status notification|failure|has failed|delayed)|"
    r"mail delivery (?:failed|system)|"
    r"returned mail|failure notice|unzustellbar|non remis|message non distribué|no se puede entregar)",
    re.IGNORECASE,
)
_DAEMON = re.compile(r"(?:mailer-daemon|postmaster|mail-daemon)@", re.IGNORECASE)
_AUTO_WORDS = re.compile(
    r"this is an auto(?:matic|mated|matically generated)\w*[\w ,-]{0,30}"
    r"(?:reply|response|message|e-?mail|notification|acknowledg\w+)|"
    r"dies(?:e|es) ist eine automatisch (?:erzeugte|generierte|erstellte)|"
    r"(?:e-?mail|nachricht) wurde automatisch (?:erzeugt|generiert|erstellt)|"
    r"ceci est une? (?:réponse|message|courriel) automatique|este es un (?:mensaje|correo) automático|"
    r"your (?:request|enquiry|inquiry|message|ticket|e-?mail) "
    r"has been (?:received|logged|registered) (?:and|under|as|with)",
    re.IGNORECASE,
)
_AUTO_HEADERS = (
    "X-Autoreply",
    "X-Autorespond",
    "X-Autoresponder",
    "X-Auto-Reply",
    "List-Id",
    "List-Unsubscribe",
    "List-Post",
)
_STATUS = re.compile(r"^(Final-Recipient|Original-Recipient|Action|Status):[ \t]*(.*)$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Delivery:
    """What a delivery status notification (RFC 3464) says of one recipient."""

    recipient: str
    action: str  # failed, delayed, delivered, relayed, expanded
    status: str  # 5.1.1


@dataclass(frozen=True, slots=True)
class Parsed:
    """`references` of a bounce also hold the id of the message that came back."""

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
    deliveries: tuple[Delivery, ...] = ()


def parse(raw: bytes) -> Parsed:
    """Tried with the modern policy, then with the one that does not look into headers; then given up, in words."""
    if raw.lower().count(b"boundary=") > BOUNDARIES_LIMIT:
        return _given_up("too many parts within parts")
    attempts: tuple[tuple[Any, tuple[str, ...]], ...] = (
        (policy.default, ()),
        (policy.compat32, ("headers-broken",)),
    )
    failure = ""
    for rules, known in attempts:
        try:
            return _read(raw, rules, Defects(list(known)))
        except Exception as error:  # noqa: BLE001 - the parser's own bugs; the message is kept and shown to a person
            failure = type(error).__name__
    return _given_up(f"no parser could read it: {failure}")


def _read(raw: bytes, rules: Any, defects: Defects) -> Parsed:
    message: Message = BytesParser(policy=rules).parsebytes(raw)
    if rules is policy.default and headers.longest(message) > HEADER_LIMIT:
        raise ValueError("a header too long for the strict parser")
    _structure(message, defects)
    kind = _kind(message)
    body = body_of(message, defects)
    if kind == "answer" and _AUTO_WORDS.search(body.text[:2_000]):
        kind = "auto-reply"
    return _parsed(message, body, kind, defects)


def _parsed(message: Message, body: Body, kind: Kind, defects: Defects) -> Parsed:
    references = headers.all_ids(message, "References")
    deliveries: tuple[Delivery, ...] = ()
    if kind == "bounce":
        references = tuple(dict.fromkeys((*references, *_returned(message))))
        deliveries = _deliveries(message)
    return Parsed(
        message_id=headers.message_id(message, defects),
        in_reply_to=headers.all_ids(message, "In-Reply-To"),
        references=references,
        subject=headers.text(message, "Subject", defects),
        header_from=headers.header_from(message, defects),
        envelope_from=headers.envelope_from(message),
        delivered_to=headers.delivered_to(message),
        text=body.text,
        kind=kind,
        defects=tuple(defects.found),
        unreadable=body.unreadable,
        deliveries=deliveries,
    )


def _given_up(why: str) -> Parsed:
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


def _structure(message: Message, defects: Defects) -> None:
    for part in _parts(message):
        for defect in part.defects:
            name = re.sub(r"(?<!^)(?=[A-Z])", "-", type(defect).__name__).lower().removesuffix("-defect")
            defects.add(f"mime-{name}")


def _kind(message: Message) -> Kind:
    if message.get_content_type() == "multipart/report":
        report = str(message.get_param("report-type", "")).lower()
        return "bounce" if report == "delivery-status" else "auto-reply"
    null_path = headers.envelope_from(message) == ""
    sender = " ".join(headers.raw_values(message, "From"))
    subject = headers.text(message, "Subject", Defects())
    if (null_path or _DAEMON.search(sender)) and _BOUNCE_SUBJECT.match(subject):
        return "bounce"
    if any(part.get_content_type() == "text/calendar" for part in _parts(message)):
        return "calendar"
    if null_path or _marked_automatic(message) or _AUTO_SUBJECT.match(subject):
        return "auto-reply"
    return "answer"


def _marked_automatic(message: Message) -> bool:
    """RFC 3834 and the older marks. X-Auto-Response-Suppress is none: it stands on ordinary mail of people."""
    submitted = [value.split(";")[0].strip().lower() for value in headers.raw_values(message, "Auto-Submitted")]
    if any(value and value != "no" for value in submitted):
        return True
    precedence = {value.strip().lower() for value in headers.raw_values(message, "Precedence")}
    if precedence & {"bulk", "junk", "list", "auto_reply", "auto-reply"}:
        return True
    return any(headers.raw_values(message, name) for name in _AUTO_HEADERS)


def _returned(message: Message) -> tuple[str, ...]:
    """Message ids of the message that a bounce brings back, whole or as headers."""
    found: list[str] = []
    for part in _parts(message):
        if part.get_content_type() == "message/rfc822":
            inner = part.get_payload()
            for each in inner if isinstance(inner, list) else []:
                if isinstance(each, Message):
                    found += headers.all_ids(each, "Message-ID")
        elif part.get_content_type() == "text/rfc822-headers":
            for line in re.findall(rb"(?im)^message-id:[ \t]*((?:.|\n[ \t])*)$", octets_of(part)):
                found += headers.ids(line.decode("ascii", "replace"))
    return tuple(dict.fromkeys(found))


def _deliveries(message: Message) -> tuple[Delivery, ...]:
    found: list[Delivery] = []
    for part in _parts(message):
        if part.get_content_type() != "message/delivery-status":
            continue
        inner = part.get_payload()
        blocks = inner if isinstance(inner, list) else [part]
        for block in blocks:
            text = block.as_string() if isinstance(block, Message) else ""
            fields = {name.lower(): value.strip() for name, value in _STATUS.findall(text)}
            recipient = fields.get("original-recipient") or fields.get("final-recipient", "")
            if recipient:
                address = recipient.partition(";")[2].strip() or recipient
                found.append(
                    Delivery(address, fields.get("action", "").lower(), fields.get("status", "").split(" ")[0])
                )
    return tuple(found)


def _parts(message: Message) -> Iterable[Message]:
    """The parts of the message itself, at most PARTS_LIMIT, not those of a message it carries."""
    waiting = [message]
    for _ in range(PARTS_LIMIT):
        if not waiting:
            return
        part = waiting.pop()
        yield part
        inner = part.get_payload()
        if isinstance(inner, list) and part.get_content_maintype() == "multipart":
            waiting.extend(each for each in reversed(inner) if isinstance(each, Message))
