"""Header fields as they stand in a message, read without the strict parser (it fails on what real servers send)."""

import codecs
import re
from dataclasses import dataclass, field
from email.header import decode_header
from email.message import Message

from deskworld_desk.mail.message import ADDRESS

# Beyond this a header is no header: the strict parser's time grows with the square of the length.
HEADER_LIMIT = 16_384
ADDRESS_LIMIT = 1_000
IDS_KEPT = 100

_ID = re.compile(r"<[^<>\s\x00]{1,400}>")
_BARE_ID = re.compile(r"[^<>\s,;\x00]{1,200}@[^<>\s,;\x00]{1,200}")
_ANGLE = re.compile(r"<\s*([^<>\s]+)\s*>")
_HALVES = re.compile("[\ud800-\udfff]")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_QUOTED = re.compile(r'"(?:\\.|[^"\\])*"')
_TEXT_CODECS = re.compile(
    r"ascii|utf[-_](?:8|16|32|7)|iso8859|cp\d|koi8|gb|big5|euc|shift_jis|iso2022|mac|johab|hz|ptcp154|tis|latin",
    re.IGNORECASE,
)
_ALIASES = {
    "iso-8859-8-i": "iso-8859-8",
    "iso-8859-6-i": "iso-8859-6",
    "ks_c_5601-1987": "cp949",
    "x-sjis": "shift_jis",
}


@dataclass(slots=True)
class Defects:
    """What was found wrong with one message, each thing once, in the order found."""

    found: list[str] = field(default_factory=list)

    def add(self, defect: str) -> None:
        if defect not in self.found:
            self.found.append(defect)


def raw_values(message: Message, name: str) -> list[str]:
    """Every value of a field, unfolded, at most HEADER_LIMIT characters each; the first one stood on top."""
    wanted = name.lower()
    return [_unfold(_shown(str(value)[:HEADER_LIMIT])) for key, value in message.raw_items() if key.lower() == wanted]


def undeclared(message: Message, name: str) -> bool:
    """Whether a field holds octets above 127, for which a header declares no charset."""
    wanted = name.lower()
    return any(_surrogates(str(value)) for key, value in message.raw_items() if key.lower() == wanted)


def storable(text: str) -> str:
    """Without NUL and without halves of characters, which no database column takes and no page shows."""
    return _UNSTORABLE.sub("\ufffd", text)


def longest(message: Message) -> int:
    return max((len(str(value)) for _, value in message.raw_items()), default=0)


def text(message: Message, name: str, defects: Defects) -> str:
    """The first value of a field, encoded words decoded; a doubled field is a defect."""
    values = raw_values(message, name)
    if len(values) > 1:
        defects.add(f"duplicate-{name.lower()}")
    if undeclared(message, name):
        defects.add("undeclared-8bit")
    return decoded(values[0], defects) if values else ""


def message_id(message: Message, defects: Defects) -> str | None:
    values = raw_values(message, "Message-ID")
    if not values:
        defects.add("message-id-missing")
        return None
    if len(values) > 1:
        defects.add("duplicate-message-id")
    found = ids(values[0])
    if not found:
        defects.add("message-id-malformed")
        return None
    return found[0]


def ids(value: str) -> tuple[str, ...]:
    """Message ids in a field, in angle brackets; some programs leave the brackets out."""
    found = _ID.findall(value)
    if not found:
        found = [f"<{bare}>" for bare in _BARE_ID.findall(value)]
    return tuple(dict.fromkeys(found))[:IDS_KEPT]


def all_ids(message: Message, name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for value in raw_values(message, name) for each in ids(value)))[:IDS_KEPT]


def header_from(message: Message, defects: Defects) -> str | None:
    """The one address in the one From field; None, with a defect, where there could be two opinions."""
    values = raw_values(message, "From")
    if not values:
        defects.add("from-missing")
        return None
    if len(values) > 1:
        defects.add("duplicate-from")
        return None
    address = single_address(values[0])
    if address is None:
        defects.add("from-unclear")
    return address


def single_address(value: str) -> str | None:
    """`a@b`, `<a@b>`, `name <a@b>` or `a@b (name)`; anything else that two programs could read differently is None."""
    if len(value) > ADDRESS_LIMIT:
        return None
    bare = _QUOTED.sub("", value).strip()
    angled = _ANGLE.findall(bare)
    if angled:
        candidate = angled[0] if len(angled) == 1 and bare.endswith(">") and bare.count("<") == 1 else ""
        if "," in bare or ";" in bare or ":" in bare:
            candidate = ""
    else:
        candidate = re.sub(r"\s*\([^()]*\)$", "", bare)
    return candidate if ADDRESS.fullmatch(candidate) else None


def envelope_from(message: Message) -> str | None:
    """The topmost Return-Path, which the delivering server wrote; "" for the null path, None where there is none."""
    values = raw_values(message, "Return-Path")
    if not values:
        return None
    inner = values[0].strip().removeprefix("<").removesuffix(">").strip()
    if not inner:
        return ""
    return inner if ADDRESS.fullmatch(inner) else None


def delivered_to(message: Message) -> str | None:
    values = raw_values(message, "Delivered-To")
    return single_address(values[0]) if values else None


def decoded(value: str, defects: Defects) -> str:
    """Encoded words decoded; what cannot be decoded is replaced, with a defect."""
    if "=?" not in value:
        return storable(value)
    try:
        pieces = decode_header(value)
    except (ValueError, LookupError, IndexError):
        defects.add("header-encoding")
        return storable(value)
    words = []
    for piece, charset in pieces:
        if isinstance(piece, str):
            words.append(piece)
        elif charset is None:
            words.append(piece.decode("latin-1"))
        else:
            words.append(decode(piece, charset, defects))
    return _unfold(storable("".join(words)))


def _shown(value: str) -> str:
    """Octets above 127 that no charset was declared for: UTF-8 if they are, else Windows Western."""
    if value.isascii() or not _surrogates(value):
        return value
    try:
        return _guess(value.encode("ascii", "surrogateescape"))
    except UnicodeEncodeError:
        return storable(value)


def _surrogates(value: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in value)


def decode(octets: bytes, charset: str | None, defects: Defects) -> str:
    """The declared charset first, then a guess; every departure from what was declared is a defect. May hold NUL."""
    name = _codec(charset)
    if charset and name is None:
        defects.add("charset-unknown")
    if name is None and not charset:
        name = "ascii"
    if name is not None:
        try:
            return _HALVES.sub("\ufffd", octets.decode(name))
        except UnicodeError:
            defects.add("charset-wrong")
    guessed = _guess(octets)
    if "\ufffd" in guessed:
        defects.add("characters-replaced")
    return guessed


def _codec(charset: str | None) -> str | None:
    """The codec's name if the charset is one that encodes text and nothing else (`unicode_escape` is not)."""
    if not charset:
        return None
    wanted = charset.strip().strip("\"'").lower()
    try:
        name = codecs.lookup(_ALIASES.get(wanted, wanted)).name
    except (LookupError, ValueError):
        return None
    return name if _TEXT_CODECS.match(name) else None


def _guess(octets: bytes) -> str:
    try:
        return octets.decode("utf-8")
    except UnicodeDecodeError:
        return octets.decode("cp1252", "replace")


def _unfold(value: str) -> str:
    return " ".join(value.replace("\r", "\n").replace("\n", " ").split(" ")).strip()
