"""A kept message as pymap sees it. Its bytes stay on disk; what is asked of it is read then and there.

Real mail is often broken, and the parsers of the standard library and of pymap raise on some of it. Here a message
that cannot be parsed is still served: whole and byte for byte always, its structure as one plain text.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from email.errors import MessageError
from typing import Protocol

from pymap.bytes import Writeable, WriteStream
from pymap.message import BaseLoadedMessage, BaseMessage
from pymap.mime import MessageContent
from pymap.parsing.response.fetch import BodyStructure
from pymap.parsing.specials import FetchRequirement, Flag, ObjectId

from deskworld_embedded.mail.envelope import Envelope
from deskworld_embedded.mail.headers import fields, split, unfolded
from deskworld_embedded.mail.structure import structure

# What parsers of mail are known to raise on mail: all of it means "this message is broken".
BROKEN = (AssertionError, AttributeError, LookupError, MessageError, RecursionError, TypeError, ValueError)

LEVEL = re.compile(rb"boundary|message/rfc822", re.IGNORECASE)
LONG_FIELD = re.compile(rb"^content-(?:[^\n]|\n[ \t]){4096}", re.IGNORECASE | re.MULTILINE)
MOST_LINES_READ = 200_000  # a second at most
MOST_PARTS = 1000

NO_THREAD = ObjectId(None)


class Bytes(Protocol):
    def read(self, at: int, size: int) -> bytes: ...


class Message(BaseMessage):
    """`head` and `body` are (place, size) in the store: the lines added at delivery, and what was handed in."""

    __slots__ = ("body", "head", "recent", "store")

    def __init__(
        self,
        uid: int,
        internal_date: datetime,
        flags: Iterable[Flag],
        *,
        store: Bytes,
        head: tuple[int, int],
        body: tuple[int, int],
        expunged: bool = False,
    ) -> None:
        super().__init__(uid, internal_date, flags, email_id=NO_THREAD, thread_id=NO_THREAD, expunged=expunged)
        self.store = store
        self.head = head
        self.body = body
        self.recent = False

    @property
    def email_id(self) -> ObjectId:
        return ObjectId(b"M%d" % self.body[0])

    def copied(self, uid: int | None = None, *, expunged: bool = False) -> "Message":
        return Message(
            self.uid if uid is None else uid,
            self.internal_date,
            self.permanent_flags,
            store=self.store,
            head=self.head,
            body=self.body,
            expunged=expunged,
        )

    def raw(self) -> bytes:
        head = self.store.read(*self.head) if self.head[1] else b""
        return head + self.store.read(*self.body)

    async def load_content(self, requirement: FetchRequirement) -> "Loaded":
        return Loaded(self, requirement, self.raw() if requirement != FetchRequirement.NONE else b"")


class Loaded(BaseLoadedMessage):
    """Answers for the whole message come from its bytes; only its inner parts need a parser."""

    __slots__ = ("_raw", "_tried")

    def __init__(self, message: Message, requirement: FetchRequirement, raw: bytes) -> None:
        super().__init__(message, requirement, None)
        self._raw = raw
        self._tried = False

    @property
    def content(self) -> MessageContent:
        """Raises pymap's own ValueError where there is none; the base class then answers with nothing."""
        if not self._tried:
            self._tried = True
            self._content = _taken_apart(self._raw)
        return super().content

    def __bytes__(self) -> bytes:
        return self._raw

    def get_size(self, section: Sequence[int] | None = None) -> int:
        return super().get_size(section) if section else len(self._raw)

    def get_body(self, section: Sequence[int] | None = None, binary: bool = False) -> Writeable:  # noqa: FBT001, FBT002 - pymap's signature
        if not section and not binary:
            return Writeable.wrap(self._raw)
        try:
            self.content  # noqa: B018 - asks whether it could be taken apart
            return Writeable.wrap(bytes(self._body(section, binary=binary)))
        except BROKEN:
            parts = {(): self._raw, (1,): split(self._raw)[1]}
            return Writeable.wrap(parts.get(tuple(section or ()), b""))

    def _body(self, section: Sequence[int] | None, *, binary: bool) -> Writeable:
        """A body in an encoding that nobody knows is given as it came (RFC 3516 would refuse it, and lose the mail)."""
        try:
            return super().get_body(section, binary)
        except NotImplementedError:
            return super().get_body(section, binary=False)

    def get_headers(self, section: Sequence[int]) -> Writeable:
        return super().get_headers(section) if section else Writeable.wrap(split(self._raw)[0])

    def get_message_text(self, section: Sequence[int] | None = None) -> Writeable:
        return super().get_message_text(section) if section else Writeable.wrap(split(self._raw)[1])

    def get_message_headers(
        self,
        section: Sequence[int] | None = None,
        subset: Collection[bytes] | None = None,
        inverse: bool = False,  # noqa: FBT001, FBT002 - pymap's signature
    ) -> Writeable:
        if section:
            return super().get_message_headers(section, subset, inverse)
        head = split(self._raw)[0]
        if subset is None:
            return Writeable.wrap(head)
        wanted = {name.upper() for name in subset}
        kept = b"".join(text for name, text in fields(head) if inverse != (name.upper() in wanted))
        return Writeable.wrap(kept + b"\r\n")

    def get_header(self, name: bytes) -> Sequence[str]:
        return [unfolded(text) for found, text in fields(split(self._raw)[0]) if found.upper() == name.upper()]

    def get_envelope_structure(self) -> Envelope:
        return Envelope.of(split(self._raw)[0])

    def get_body_structure(self) -> BodyStructure:
        try:
            return _Rendered(structure(self.content, extended=False), structure(self.content, extended=True))
        except BROKEN:
            return _Rendered.plain(split(self._raw)[1])

    def contains(self, value: bytes) -> bool:
        return value.lower() in self._raw.lower()


def _taken_apart(raw: bytes) -> MessageContent | None:
    """In parts where that can be done, and done soon: pymap reads each line once for every level around it, and the
    standard library reads a long header over and over. One hostile message must not keep everybody waiting."""
    lines = raw.count(b"\n")
    if lines > MOST_LINES_READ or raw.count(b"\n--") > MOST_PARTS:
        return None
    if lines * (1 + len(LEVEL.findall(raw))) > MOST_LINES_READ or LONG_FIELD.search(raw):
        return None
    try:
        return MessageContent.parse(raw)
    except BROKEN:
        return None


class _Rendered(BodyStructure):
    """A body structure that is known to render."""

    def __init__(self, short: bytes, extended: bytes) -> None:
        super().__init__("text", "plain", None, None, None, None)
        self._short = short
        self._extended = extended

    @classmethod
    def plain(cls, body: bytes) -> "_Rendered":
        inner = b'"TEXT" "PLAIN" NIL NIL NIL "8BIT" %d %d' % (len(body), body.count(b"\n"))
        return cls(b"(%b)" % inner, b"(%b NIL NIL NIL NIL)" % inner)

    def write(self, writer: WriteStream) -> None:
        writer.write(self._short)

    def __bytes__(self) -> bytes:
        return self._short

    @property
    def extended(self) -> Writeable:  # type: ignore[override] # pymap only writes it
        return Writeable.wrap(self._extended)
