"""Renaming what identifies: the same thing gets the same name wherever it stands, in every run of a case."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

SETS = frozenset({"ids", "read", "citations", "settles"})
"""Lists whose order says nothing: which of several reads came back first is chance."""

SILENT = frozenset({"digest", "input_digest", "result_digest", "since", "at"})

ANSWERED = ".data.recipients.detail"
"""What a mail server says beside its reply code is for people and its own (RFC 5321, 4.2.1): the code is the fact."""

_REPLY = re.compile(r"([2-5]\d\d)(?=[ -]|$)")
_MOMENT = r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})?"
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_MESSAGE_ID = r"<[^<>\s]+@[^<>\s]+>"
_SUBJECT_MARK = r"\[AP [0-9A-Za-z]{8}\]"
_ADDRESS = r"[\w.+-]+@[\w.-]*{tag}[\w.-]*"

Rename = Callable[[str, str, str], str]
"""(what it is, the text found, the path of the field) → the text that stands there instead."""

Place = tuple[int, int]


class Texts:
    def __init__(self, tag: str) -> None:
        self._names: dict[str, str] = {}
        self._met: dict[str, list[tuple[Place, str]]] = defaultdict(list)
        self._tag = re.compile(re.escape(tag), re.IGNORECASE) if tag else None
        parts = [f"(?P<moment>{_MOMENT})", f"(?P<mark>{_SUBJECT_MARK})", f"(?P<message>{_MESSAGE_ID})"]
        parts.append(f"(?P<id>{_UUID})")
        if tag:
            parts.append(f"(?P<address>{_ADDRESS.format(tag=re.escape(tag))})")
        self._pattern = re.compile("|".join(parts), re.IGNORECASE)

    def called(self, found: str, name: str) -> None:
        self._names.setdefault(found.lower(), name)

    def met(self, value: Any, place: Place) -> None:
        """Notes where each id stands: by that, members of a set that are new are told apart."""

        def note(kind: str, found: str, path: str) -> str:
            self._met[found.lower()].append((place, path))
            return f"<{kind}>"

        self._each(value, note, "")

    def named(self, value: Any) -> Any:
        return self._each(value, self._name, "")

    def blank(self, value: Any) -> Any:
        return self._each(value, _blank, "")

    def _name(self, kind: str, found: str, path: str) -> str:
        if kind in {"moment", "mark"}:
            return _blank(kind, found, path)
        return self._names.setdefault(found.lower(), f"{kind}-{len(self._names) + 1}")

    def _each(self, value: Any, rename: Rename, path: str) -> Any:
        if isinstance(value, str):
            return self._text(value, rename, path)
        if isinstance(value, Mapping):
            items = sorted((key, item) for key, item in value.items() if key not in SILENT)
            return {self._text(key, rename, path): self._field(key, item, rename, path) for key, item in items}
        if isinstance(value, list | tuple):
            return [self._each(item, rename, path) for item in value]
        return value

    def _field(self, key: str, item: Any, rename: Rename, path: str) -> Any:
        """Whatever a field calls an id is one, in whatever form its maker writes ids."""
        path = f"{path}.{key}"
        if isinstance(item, str) and key.endswith("_id"):
            return rename("message" if key == "message_id" else "id", item, path)
        if path == ANSWERED and isinstance(item, str) and (reply := _REPLY.match(item)):
            return reply.group()
        if key in SETS and isinstance(item, list | tuple):
            # sorted twice: members that nothing tells apart are named as they come, and stand by their names
            return sorted((self._each(member, rename, path) for member in sorted(item, key=self._order)), key=str)
        return self._each(item, rename, path)

    def _order(self, member: Any) -> tuple[str, list[tuple[Place, str]]]:
        return str(self.blank(member)), self._met[member.lower()] if isinstance(member, str) else []

    def _text(self, text: str, rename: Rename, path: str) -> str:
        found = self._pattern.sub(lambda match: rename(match.lastgroup or "id", match.group(), path), text)
        return self._tag.sub("<tag>", found) if self._tag else found


def _blank(kind: str, _found: str, _path: str) -> str:
    return f"<{kind}>"
