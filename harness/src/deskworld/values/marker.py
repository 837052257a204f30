"""Finding marker bytes inside JSON values and mail, however they were folded, spaced or encoded on the way."""

import email
import email.message
from collections.abc import Iterator, Mapping
from typing import Any


def holds(value: Any, marker: str) -> bool:
    """Whether any text inside the value contains the marker; letter case and runs of white space do not hide it."""
    wanted = _plain(marker)
    return bool(wanted) and any(wanted in _plain(text) for text in _texts(value))


def letter_holds(raw: str, marker: str) -> bool:
    """`raw` is a message's bytes as latin-1."""
    return holds(list(_parts(raw)), marker)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _parts(raw: str) -> Iterator[str]:
    yield raw
    message = email.message_from_bytes(raw.encode("latin-1"))
    for part in message.walk():
        yield from (str(value) for value in part.values())
        body = part.get_payload(decode=True)
        if isinstance(body, bytes):
            yield body.decode("utf-8", "replace")
            yield body.decode("latin-1")
