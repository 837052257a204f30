"""IMAP's ENVELOPE (RFC 3501, 7.4.2) out of any header, however broken."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import getaddresses, parsedate_to_datetime

from pymap.bytes import MaybeBytes, Writeable, WriteStream
from pymap.parsing.primitives import List, LiteralString, Nil, QuotedString
from pymap.parsing.response.fetch import EnvelopeStructure

from deskworld_embedded.mail.headers import fields, unfolded, value

LONGEST_ADDRESSES = 64 * 1024


@dataclass(frozen=True, slots=True)
class When:
    datetime: datetime


class Envelope(EnvelopeStructure):
    """`date`, `subject`, `from_` and the like are for SEARCH, in the shape that pymap's search reads."""

    def __init__(self, found: dict[bytes, list[bytes]]) -> None:
        def text(name: bytes) -> str | None:
            return unfolded(b":" + found[name][0]) if name in found else None

        def texts(name: bytes) -> list[str] | None:
            return [unfolded(b":" + one) for one in found[name]] if name in found else None

        super().__init__(
            _when(text(b"DATE")),  # type: ignore[arg-type]
            text(b"SUBJECT"),  # type: ignore[arg-type]
            texts(b"FROM"),  # type: ignore[arg-type]
            texts(b"SENDER"),  # type: ignore[arg-type]
            texts(b"REPLY-TO"),  # type: ignore[arg-type]
            texts(b"TO"),  # type: ignore[arg-type]
            texts(b"CC"),  # type: ignore[arg-type]
            texts(b"BCC"),  # type: ignore[arg-type]
            text(b"IN-REPLY-TO"),  # type: ignore[arg-type]
            text(b"MESSAGE-ID"),  # type: ignore[arg-type]
        )
        self._found = found

    @classmethod
    def of(cls, head: bytes) -> "Envelope":
        found: dict[bytes, list[bytes]] = {}
        for name, text in fields(head):
            found.setdefault(name.upper(), []).append(value(text))
        return cls(found)

    def write(self, writer: WriteStream) -> None:
        self._rendered().write(writer)

    def __bytes__(self) -> bytes:
        return bytes(self._rendered())

    def _rendered(self) -> Writeable:
        found = self._found
        senders = found.get(b"FROM", [])
        return List(
            [
                _string(found, b"DATE"),
                _string(found, b"SUBJECT"),
                _addresses(senders),
                _addresses(found.get(b"SENDER") or senders),
                _addresses(found.get(b"REPLY-TO") or senders),
                *(_addresses(found.get(name, [])) for name in (b"TO", b"CC", b"BCC")),
                _string(found, b"IN-REPLY-TO"),
                _string(found, b"MESSAGE-ID"),
            ]
        )


def string(text: bytes) -> MaybeBytes:
    """Quoted where RFC 3501 lets it be, else a literal; never a NUL, which neither may hold."""
    text = text.replace(b"\0", b"")
    quotable = text.isascii() and b"\r" not in text and b"\n" not in text and len(text) < 1000
    return QuotedString(text) if quotable else LiteralString(text)


def _string(found: dict[bytes, list[bytes]], name: bytes) -> MaybeBytes:
    return string(found[name][0]) if name in found else Nil()


def _addresses(texts: Sequence[bytes]) -> MaybeBytes:
    if sum(map(len, texts)) > LONGEST_ADDRESSES:
        return Nil()
    try:
        pairs = getaddresses([text.decode("utf-8", "surrogateescape") for text in texts])
    except (IndexError, RecursionError, TypeError, ValueError):
        return Nil()
    shown = [_address(name, address) for name, address in pairs if name or address]
    return b"(%b)" % b"".join(shown) if shown else Nil()


def _address(name: str, address: str) -> bytes:
    local, at, domain = address.rpartition("@")
    parts = [name, None, local if at else address, domain if at else ""]
    return bytes(List([Nil() if part in (None, "") else string(_raw(part)) for part in parts]))


def _raw(text: str | None) -> bytes:
    return (text or "").encode("utf-8", "surrogateescape")


def _when(text: str | None) -> When | None:
    try:
        return When(parsedate_to_datetime(text)) if text and len(text) < 200 else None
    except (IndexError, OverflowError, RecursionError, TypeError, ValueError):
        return None
