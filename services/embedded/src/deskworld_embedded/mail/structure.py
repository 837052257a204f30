"""IMAP's BODYSTRUCTURE (RFC 3501, 7.4.2) of a message that pymap could take apart."""

from collections.abc import Iterable, Mapping
from email.message import Message as Head

from pymap.bytes import MaybeBytes
from pymap.mime import MessageContent
from pymap.parsing.primitives import Nil

from deskworld_embedded.mail.envelope import Envelope, string
from deskworld_embedded.mail.headers import fields, value


def structure(part: MessageContent, *, extended: bool) -> bytes:
    """Raises what parsers raise on broken mail."""
    kind = part.body.content_type
    if kind.maintype == "multipart" and part.body.nested:
        inner = b"".join(structure(one, extended=extended) for one in part.body.nested)
        shown = [inner + b" " + _text(kind.subtype)]
        return _list([*shown, _parameters(kind.params), *_placing(part)] if extended else shown)
    maintype, subtype = (kind.maintype, kind.subtype) if kind.maintype != "multipart" else ("text", "plain")
    body = bytes(part.body)
    shown = [
        _text(maintype),
        _text(subtype),
        _parameters(kind.params),
        _field(part, b"CONTENT-ID"),
        _field(part, b"CONTENT-DESCRIPTION"),
        _field(part, b"CONTENT-TRANSFER-ENCODING", b"7BIT"),
        b"%d" % len(body),
    ]
    if (maintype, subtype) == ("message", "rfc822") and part.body.nested:
        within = part.body.nested[0]
        shown += [bytes(Envelope.of(bytes(within.header))), structure(within, extended=extended)]
    if maintype == "text" or (maintype, subtype) == ("message", "rfc822"):
        shown.append(b"%d" % body.count(b"\n"))
    return _list([*shown, b"NIL", *_placing(part)] if extended else shown)


def _placing(part: MessageContent) -> list[bytes]:
    """Disposition, language, location."""
    return [_disposition(part), _field(part, b"CONTENT-LANGUAGE"), _field(part, b"CONTENT-LOCATION")]


def _disposition(part: MessageContent) -> bytes:
    found = _value(part, b"CONTENT-DISPOSITION")
    if found is None:
        return b"NIL"
    head: Head[str, str] = Head()
    head["Content-Disposition"] = found.decode("utf-8", "replace")
    (kind, _), *parameters = head.get_params([("", "")], "Content-Disposition")
    return _list([_text(kind), _parameters({name: str(given) for name, given in parameters})])


def _parameters(parameters: Mapping[str, str]) -> bytes:
    shown = [_text(text) for name, given in parameters.items() for text in (name, given)]
    return _list(shown) if shown else b"NIL"


def _field(part: MessageContent, name: bytes, otherwise: bytes | None = None) -> bytes:
    found = _value(part, name)
    return bytes(_nstring(otherwise if found is None else found))


def _value(part: MessageContent, name: bytes) -> bytes | None:
    return next((value(text) for found, text in fields(bytes(part.header)) if found.upper() == name), None)


def _nstring(text: bytes | None) -> MaybeBytes:
    return Nil() if text is None else string(text)


def _text(text: str) -> bytes:
    return bytes(string(text.encode("utf-8", "replace")))


def _list(shown: Iterable[bytes]) -> bytes:
    return b"(%b)" % b" ".join(shown)
