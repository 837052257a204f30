"""Telling what a program sent from what a person wrote (RFC 3834, RFC 3464, RFC 6047, and the older marks).

Only `answer` can be one: the others are recorded and read by nobody.
"""

import re
from email.message import Message
from typing import Literal

from deskworld_desk.mail import headers
from deskworld_desk.mail.headers import Defects
from deskworld_desk.mail.words import parts

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
    r"has been (?:received|logged|registered|approved for processing) ?(?:and|under|as|with|\.|$)",
    re.IGNORECASE | re.MULTILINE,
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
WORDS_LOOKED_AT = 2_000  # characters: an acknowledgement says what it is at its beginning


def kind_of(message: Message, text: str) -> Kind:
    """`text`: the message's own words."""
    if message.get_content_type() == "multipart/report":
        report = str(message.get_param("report-type", "")).lower()
        return "bounce" if report == "delivery-status" else "auto-reply"
    null_path = headers.envelope_from(message) == ""
    sender = " ".join(headers.raw_values(message, "From"))
    subject = headers.text(message, "Subject", Defects())
    if (null_path or _DAEMON.search(sender)) and _BOUNCE_SUBJECT.match(subject):
        return "bounce"
    if _invites(message):
        return "calendar"
    if null_path or _marked(message) or _AUTO_SUBJECT.match(subject):
        return "auto-reply"
    return "auto-reply" if _AUTO_WORDS.search(text[:WORDS_LOOKED_AT]) else "answer"


def _invites(message: Message) -> bool:
    """An invitation or the answer to one. A calendar file that is attached to a letter makes no invitation of it."""
    if message.get_content_type() == "text/calendar":
        return True
    for part in parts(message):
        inner = part.get_payload()
        if part.get_content_maintype() != "multipart" or not isinstance(inner, list):
            continue
        for each in inner:
            if not isinstance(each, Message) or each.get_content_type() != "text/calendar":
                continue
            # RFC 6047, 2.4: the method stands in the content type
            if part.get_content_type() == "multipart/alternative":
                return True
            if each.get_content_disposition() != "attachment" and each.get_param("method") is not None:
                return True
    return False


def _marked(message: Message) -> bool:
    """X-Auto-Response-Suppress is no mark: it stands on ordinary mail of people."""
    submitted = [value.split(";")[0].strip().lower() for value in headers.raw_values(message, "Auto-Submitted")]
    if any(value and value != "no" for value in submitted):
        return True
    precedence = {value.strip().lower() for value in headers.raw_values(message, "Precedence")}
    if precedence & {"bulk", "junk", "list", "auto_reply", "auto-reply"}:
        return True
    return any(headers.raw_values(message, name) for name in _AUTO_HEADERS)
