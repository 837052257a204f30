"""The words in a message's parts: which part is the body, and whether two versions of it say the same."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from email.message import Message

from deskworld_desk.mail.headers import Defects, decode, storable
from deskworld_desk.mail.history import own_words
from deskworld_desk.mail.html import HTML_LIMIT, read_html

TEXT_LIMIT = 100_000
PARTS_LIMIT = 500
NAME_LIMIT = 200  # characters of an attachment's name

_ADDRESSES = re.compile(r"<?(?:https?|mailto|cid|tel):[^\s>\])]*>?|\[cid:[^\]]*\]|\[image[^\]]*\]", re.IGNORECASE)
_WORD = re.compile(r"\w+(?:[.,']\w+)*")
_TYPE = re.compile(r"[!#$%&'*+.^_`{|}~\w-]{1,127}/[!#$%&'*+.^_`{|}~\w-]{1,127}", re.ASCII)
_CARRIED = {"message/rfc822", "text/rfc822-headers", "message/delivery-status"}
# Text for programs. Any other text that is not known is read as plain text (RFC 2046, 4.1.4).
_DATA = {
    "text/calendar",
    "text/css",
    "text/csv",
    "text/directory",
    "text/javascript",
    "text/rtf",
    "text/vcard",
    "text/x-vcard",
    "text/xml",
}
_PGP = "-----BEGIN PGP MESSAGE-----"


@dataclass(frozen=True, slots=True)
class Body:
    """`versions`: plain text and HTML where they say different things; `text` then holds both."""

    text: str
    unreadable: str | None = None
    versions: tuple[str, ...] = ()


@dataclass(slots=True)
class _Versions:
    plain: str = ""
    html: str = ""


def body_of(message: Message, defects: Defects) -> Body:
    """The sender's own words; where plain and HTML disagree, both, so that nothing said in either is missed."""
    sealed = _sealed(message)
    if sealed:
        return Body("", sealed)
    versions = _Versions()
    for part in text_parts(message, defects):
        _collect(part, versions, defects)
    for text in (versions.plain, versions.html):
        if len(text) > TEXT_LIMIT:
            defects.add("text-truncated")
    versions = _Versions(versions.plain[:TEXT_LIMIT], versions.html[:TEXT_LIMIT])
    texts, own = _choose(versions, defects)
    text = "\n\n".join(texts)
    if not own:
        defects.add("only-quoted")
    if _PGP in text:
        return Body("", "encrypted (OpenPGP)")
    winmail = any(_is_winmail(part) for part in parts(message))
    if not text:
        if winmail:
            return Body("", "the text is inside winmail.dat (TNEF)")
        defects.add("no-text")
    elif winmail:
        defects.add("winmail-not-read")
    return Body(text, versions=texts if len(texts) > 1 else ())


def text_parts(message: Message, defects: Defects) -> list[Message]:
    """The text parts that are the message itself: no attachments, nothing inside a forwarded message."""
    found: list[Message] = []
    waiting = [message]
    seen = 0
    while waiting:
        part = waiting.pop()
        seen += 1
        if seen > PARTS_LIMIT:
            defects.add("too-many-parts")
            break
        kind = type_of(part)
        if kind in _CARRIED:
            continue
        if part.is_multipart():
            inner = part.get_payload()
            children = [each for each in inner if isinstance(each, Message)] if isinstance(inner, list) else []
            if kind == "multipart/signed":
                children = children[:1]
            waiting.extend(reversed(children))
        elif ((kind.startswith("text/") and kind not in _DATA) or _broken(part)) and (
            part is message or not _attached(part)
        ):
            found.append(part)
    return found


def parts(message: Message) -> Iterable[Message]:
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


def attachments(message: Message) -> tuple[str, ...]:
    """The names that the sender gave to what is attached, for a person to see; no path in them is ever followed."""
    found = []
    for part in parts(message):
        name = _name(part)
        if name or part.get_content_disposition() == "attachment":
            found.append((name or f"({part.get_content_type()})")[:NAME_LIMIT])
    return tuple(found)


def _name(part: Message) -> str:
    try:
        return storable(part.get_filename() or "")
    except (LookupError, ValueError, TypeError, AttributeError):
        # the parser's own bugs on names in pieces: the name is lost, not the message
        return "(a name that cannot be read)"


def type_of(part: Message) -> str:
    """The media type, in lower case; what is none is plain text (RFC 2045, 5.2)."""
    said = part.get_content_type().partition("(")[0].strip()
    if said == "text/":
        return "text/plain"
    return said if _TYPE.fullmatch(said) else "text/plain"


def _broken(part: Message) -> bool:
    """A multipart whose parts could not be told apart: what stands in it is seen as it is by many a mail program."""
    return part.get_content_maintype() == "multipart" and isinstance(part.get_payload(), str)


def octets_of(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _collect(part: Message, versions: _Versions, defects: Defects) -> None:
    octets = octets_of(part)
    if len(octets) > HTML_LIMIT:
        defects.add("text-truncated")
        octets = octets[:HTML_LIMIT]
    charset = part.get_param("charset")
    text = decode(octets, charset if isinstance(charset, str) else None, defects)
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "").removeprefix("\ufeff")
    if type_of(part) != "text/html":
        versions.plain = _joined(versions.plain, text)
        return
    page = read_html(text)
    if page.hides:
        defects.add("html-hidden-text")
    versions.html = _joined(versions.html, page.text)


def _choose(versions: _Versions, defects: Defects) -> tuple[tuple[str, ...], bool]:
    """The text, or both where they say different things; and whether anything in it is the sender's own."""
    plain, own_plain = own_words(versions.plain)
    html, own_html = own_words(versions.html)
    if not plain.strip() or not html.strip():
        return ((plain,), own_plain) if plain.strip() else ((html,), own_html)
    if _said(plain) == _said(html):
        return (plain,), own_plain
    # What one version quotes as history the other may not: compared whole, they can still be the same letter.
    if _said(versions.plain) == _said(versions.html):
        shorter, own = min(((plain, own_plain), (html, own_html)), key=lambda version: len(version[0]))
        return ((shorter,), own) if own else ((plain,), own_plain)
    defects.add("alternatives-disagree")
    return (plain, html), own_plain or own_html


def _said(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(_ADDRESSES.sub(" ", text).replace("_", " ").replace("\xa0", " ").casefold()))


def _joined(before: str, text: str) -> str:
    return f"{before}\n{text}" if before.strip() else text


def _attached(part: Message) -> bool:
    return part.get_content_disposition() == "attachment" or (
        part.get_content_disposition() == "inline"
        and part.get_param("filename", header="content-disposition") is not None
    )


def _sealed(message: Message) -> str | None:
    """Why the words of this message cannot be read at all, if that is so."""
    kind = message.get_content_type()
    if kind == "multipart/encrypted":
        return "encrypted (OpenPGP)"
    if kind in {"application/pkcs7-mime", "application/x-pkcs7-mime"}:
        way = str(message.get_param("smime-type", "")).lower()
        return "signed in a form that is not plain text (S/MIME)" if way.startswith("signed") else "encrypted (S/MIME)"
    return None


def _is_winmail(part: Message) -> bool:
    return part.get_content_type() == "application/ms-tnef" or _name(part).lower() == "winmail.dat"
