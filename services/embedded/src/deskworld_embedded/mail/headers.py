"""Header lines, read by hand: whatever the bytes are, there is an answer."""

import re
from collections.abc import Iterator
from email.errors import HeaderParseError
from email.header import decode_header, make_header

EMPTY_LINE = re.compile(rb"(?:\A|\n)\r?\n")
LONGEST_DECODED = 8 * 1024  # the standard library takes minutes for a field of a megabyte
FIELD = re.compile(rb"([!-9;-~]+)[ \t]*:")


def split(raw: bytes) -> tuple[bytes, bytes]:
    """The header with its empty line, and the body."""
    found = EMPTY_LINE.search(raw)
    return (raw[: found.end()], raw[found.end() :]) if found else (raw, b"")


def fields(head: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Each field's name and its whole text, folded lines and line ends included."""
    name, lines = b"", list[bytes]()
    for line in head.splitlines(keepends=True):
        if line[:1] in (b" ", b"\t") and name:
            lines.append(line)
            continue
        if name:
            yield name, b"".join(lines)
        found = FIELD.match(line)
        name, lines = (found[1], [line]) if found else (b"", [])
    if name:
        yield name, b"".join(lines)


def value(text: bytes) -> bytes:
    """A field's value as it stands, unfolded (RFC 5322, 2.2.3)."""
    return re.sub(rb"\r?\n(?=[ \t])", b"", text.partition(b":")[2]).strip()


def unfolded(text: bytes) -> str:
    """A field's value for people: encoded words read where they can be."""
    plain = value(text).decode("utf-8", "replace")
    if len(plain) > LONGEST_DECODED:
        return plain
    try:
        return str(make_header(decode_header(plain)))
    except (HeaderParseError, LookupError, ValueError):
        return plain
