"""Octets of messages, and what must become of each. Everything here is made by code; all names are reserved ones."""

from dataclasses import dataclass
from typing import Literal

WORDS = "10.40 was agreed with your buyer."
SENDER = "ap@v.example"
Reads = Literal["words", "nothing", "unreadable"]
Kind = Literal["answer", "auto-reply", "bounce", "calendar"]


@dataclass(frozen=True)
class Odd:
    """`reads`: WORDS stand in the text that a reader gets; there is nothing to read; or a person is told that it cannot
    be read. `kind`: what it is taken for."""

    name: str
    raw: bytes
    reads: Reads = "words"
    kind: Kind = "answer"


def mail(
    name: str, body: bytes | str = WORDS, *fields: bytes | str, drop: tuple[str, ...] = (), first: bytes = b""
) -> bytes:
    """An ordinary message with these fields more, or in the place of its own of that name; without those of `drop`."""
    own = {
        "From": f"From: Vendor <{SENDER}>",
        "To": "To: ap@deskworld.example",
        "Subject": f"Subject: Re: Invoice {name}",
        "Date": "Date: Mon, 4 May 2026 09:30:00 +0000",
        "Message-ID": f"Message-ID: <{name}@v.example>",
    }
    extra = [_octets(field) for field in fields]
    given = {field.split(b":", 1)[0].strip().lower() for field in extra}
    kept = [line.encode() for field, line in own.items() if field not in drop and field.lower().encode() not in given]
    return first + b"\r\n".join([*kept, *extra]) + b"\r\n\r\n" + _octets(body) + b"\r\n"


def multi(name: str, kind: str, *bodies: bytes | str, boundary: str = "b", close: bool = True, **more: object) -> bytes:
    """A message of parts; each body begins with the fields of its part. `fields`: more fields of the message."""
    inside = b"".join(b"--" + boundary.encode() + b"\r\n" + _octets(body) + b"\r\n" for body in bodies)
    end = b"--" + boundary.encode() + b"--\r\n" if close else b""
    fields = more.get("fields", ())
    assert isinstance(fields, tuple)
    return mail(
        name, inside + end, *fields, "MIME-Version: 1.0", f'Content-Type: multipart/{kind}; boundary="{boundary}"'
    )


def part(kind: str, body: bytes | str = WORDS, *fields: str) -> bytes:
    return "\r\n".join([f"Content-Type: {kind}", *fields, "", ""]).encode() + _octets(body)


def text(name: str, kind: str, body: bytes | str, *fields: str) -> bytes:
    """A message of one part."""
    return mail(name, body, "MIME-Version: 1.0", f"Content-Type: {kind}", *fields)


def _octets(value: bytes | str) -> bytes:
    return value if isinstance(value, bytes) else value.replace("\r\n", "\n").replace("\n", "\r\n").encode()
