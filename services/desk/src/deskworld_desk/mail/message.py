"""Letters the desk writes. Nothing here knows a case, a recipient's role or a connection."""

import random
import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from email.header import Header
from email.quoprimime import body_encode
from email.utils import format_datetime

BODY_LIMIT = 4_000
SUBJECT_LIMIT = 200
# RFC 5322 asks for all references; the first and the latest keep the thread together in every client.
REFERENCES_KEPT = 10

# No vowels (no words), nothing that is read as something else on paper or over the phone (0 O, 1 I L, U V, Y).
TOKEN_ALPHABET = "23456789BCDFGHJKMNPQRSTVWXZ"  # noqa: S105 - it stands in every subject
TOKEN_LENGTH = 8
TOKEN = re.compile(rf"\[\s*AP\s+([{TOKEN_ALPHABET}]{{{TOKEN_LENGTH}}})\s*\]", re.IGNORECASE)

ADDRESS = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?")
_MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,400}>")


class LetterRefused(ValueError):
    """The letter cannot be written as asked; the message says which part and why."""


@dataclass(frozen=True, slots=True)
class Letter:
    message_id: str
    sender: str
    recipients: tuple[str, ...]
    subject: str
    body: str
    in_reply_to: str | None = None
    references: tuple[str, ...] = ()


def compose(letter: Letter, now: datetime) -> bytes:
    """The letter as RFC 5322 octets: CRLF, 7 bit, at most 998 octets a line.

    Raises LetterRefused. No value can add a header, a recipient or a line to the header block.
    """
    if not letter.recipients:
        raise LetterRefused("The letter names no recipient.")
    body = _body(letter.body)
    references = letter.references
    if len(references) > REFERENCES_KEPT:
        references = (references[0], *references[-(REFERENCES_KEPT - 1) :])
    headers = [
        ("From", _address("sender", letter.sender)),
        ("To", ",\r\n ".join(_address("recipient", each) for each in letter.recipients)),
        ("Subject", _subject(letter.subject)),
        ("Date", format_datetime(now)),
        ("Message-ID", _message_id("message id", letter.message_id)),
    ]
    if letter.in_reply_to is not None:
        headers.append(("In-Reply-To", _message_id("in-reply-to", letter.in_reply_to)))
    if references:
        headers.append(("References", "\r\n ".join(_message_id("reference", each) for each in references)))
    headers += [
        ("Auto-Submitted", "auto-generated"),
        ("MIME-Version", "1.0"),
        ("Content-Type", 'text/plain; charset="utf-8"'),
        ("Content-Transfer-Encoding", "quoted-printable"),
    ]
    head = "".join(f"{name}: {value}\r\n" for name, value in headers)
    return (head + "\r\n" + body).encode("ascii")


def subject_token(rng: random.Random) -> str:
    return "".join(rng.choice(TOKEN_ALPHABET) for _ in range(TOKEN_LENGTH))


def with_token(subject: str, token: str) -> str:
    """The subject ending in this token and no other: a token that the writer put there would join another case."""
    words = " ".join(TOKEN.sub(" ", subject).split())
    return f"{words} [AP {token}]".strip()


def _body(text: str) -> str:
    if len(text) > BODY_LIMIT:
        raise LetterRefused(f"The body has {len(text)} characters; at most {BODY_LIMIT} are allowed.")
    if not text.strip():
        raise LetterRefused("The body is empty.")
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    _no_controls("body", lines.replace("\n", "").replace("\t", ""))
    octets = _utf8("body", lines)
    encoded: str = body_encode(octets.decode("latin-1"), eol="\r\n")
    return encoded if encoded.endswith("\r\n") else encoded + "\r\n"


def _subject(text: str) -> str:
    if len(text) > SUBJECT_LIMIT:
        raise LetterRefused(f"The subject has {len(text)} characters; at most {SUBJECT_LIMIT} are allowed.")
    _no_controls("subject", text)
    if text.isascii() and "=?" not in text:
        return text
    _utf8("subject", text)
    return Header(text, "utf-8", header_name="Subject").encode(linesep="\r\n")


def _address(part: str, address: str) -> str:
    if not ADDRESS.fullmatch(address):
        raise LetterRefused(f"The {part} {address!r} is not a plain mail address.")
    return address


def can_refer_to(message_id: str) -> bool:
    """Whether a letter can name this id: what others make up for one may not even be ASCII."""
    return _MESSAGE_ID.fullmatch(message_id) is not None


def _message_id(part: str, value: str) -> str:
    if not can_refer_to(value):
        raise LetterRefused(f"The {part} {value!r} is not a message id in angle brackets.")
    return value


def _no_controls(part: str, text: str) -> None:
    for character in text:
        if unicodedata.category(character) in {"Cc", "Zl", "Zp"}:
            raise LetterRefused(f"The {part} holds the control character U+{ord(character):04X}.")


def _utf8(part: str, text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise LetterRefused(f"The {part} holds half of a character at position {error.start}.") from error
