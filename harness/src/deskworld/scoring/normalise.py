"""The normalised timeline: what two runs of the same case must have in common, and nothing else.

Ids become names in the order of their first appearance; times and digests go; a row's place is its cause, and rows
under one cause stand by kind and content; the chain is made anew. A change of the form is a new NORMAL_FORM.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from deskworld.values.chain import GENESIS, canonical, hash_of
from deskworld.values.evidence import CaseTimeline, Row

NORMAL_FORM = "1"

_DROPPED = frozenset({"at", "hash", "prev_hash", "seq", "cause", "digest", "input_digest", "result_digest", "since"})
_MOMENT = r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})?"
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_MESSAGE_ID = r"<[^<>\s]+@[^<>\s]+>"
_SUBJECT_MARK = r"\[AP [0-9A-Za-z]{8}\]"
_ADDRESS = r"[\w.+-]+@[\w.-]*{tag}[\w.-]*"


def normalise(timelines: Iterable[CaseTimeline], tag: str) -> list[Row]:
    """All rows of all timelines as one list. `tag` is what marks the case in its stack."""
    texts = _Texts(tag)
    ordered = sorted(timelines, key=lambda one: _blank_key(texts, one.rows[:1]))
    rows: list[Row] = []
    for number, timeline in enumerate(ordered, start=1):
        texts.called(timeline.case_id, f"case-{number}")
        rows += _one(timeline, texts)
    return rows


def _one(timeline: CaseTimeline, texts: "_Texts") -> list[Row]:
    by_cause: dict[int | None, list[Row]] = defaultdict(list)
    known = {row["seq"] for row in timeline.rows}
    for row in timeline.rows:
        by_cause[row["cause"] if row["cause"] in known else None].append(row)
    places: dict[int, int] = {}
    rows: list[Row] = []
    before = GENESIS
    for row in _in_causal_order(by_cause, texts):
        places[row["seq"]] = len(rows) + 1
        made = texts.named({key: value for key, value in row.items() if key not in _DROPPED})
        made |= {"seq": len(rows) + 1, "cause": places.get(row["cause"]), "prev_hash": before}
        made["hash"] = before = hash_of(made)
        rows.append(made)
    return rows


def _in_causal_order(by_cause: Mapping[int | None, list[Row]], texts: "_Texts") -> Iterator[Row]:
    """Depth first; a stack, because causes can form long chains."""
    waiting = [iter(_siblings(by_cause.get(None, []), texts))]
    while waiting:
        row = next(waiting[-1], None)
        if row is None:
            waiting.pop()
            continue
        yield row
        waiting.append(iter(_siblings(by_cause.get(row["seq"], []), texts)))


def _siblings(rows: list[Row], texts: "_Texts") -> list[Row]:
    return sorted(rows, key=lambda row: (row["kind"], _blank_key(texts, [row]), row["seq"]))


def _blank_key(texts: "_Texts", rows: Iterable[Row]) -> bytes:
    return canonical([texts.blank({key: value for key, value in row.items() if key not in _DROPPED}) for row in rows])


class _Texts:
    """Renames what identifies: the same thing gets the same name wherever it stands."""

    def __init__(self, tag: str) -> None:
        self._names: dict[str, str] = {}
        self._tag = re.compile(re.escape(tag), re.IGNORECASE) if tag else None
        parts = [
            f"(?P<moment>{_MOMENT})",
            f"(?P<token>{_SUBJECT_MARK})",
            f"(?P<message>{_MESSAGE_ID})",
            f"(?P<id>{_UUID})",
        ]
        if tag:
            parts.append(f"(?P<address>{_ADDRESS.format(tag=re.escape(tag))})")
        self._pattern = re.compile("|".join(parts), re.IGNORECASE)

    def called(self, found: str, name: str) -> None:
        self._names.setdefault(found.lower(), name)

    def named(self, value: Any) -> Any:
        return self._each(value, self._name)

    def blank(self, value: Any) -> Any:
        return self._each(value, lambda kind, _: f"<{kind}>")

    def _name(self, kind: str, found: str) -> str:
        if kind in {"moment", "token"}:
            return f"<{kind}>"
        return self._names.setdefault(found.lower(), f"{kind}-{len(self._names) + 1}")

    def _each(self, value: Any, rename: Any) -> Any:
        if isinstance(value, str):
            return self._text(value, rename)
        if isinstance(value, Mapping):
            return {
                self._text(key, rename): self._value(key, item, rename)
                for key, item in sorted(value.items())
                if key not in _DROPPED
            }
        if isinstance(value, list | tuple):
            return [self._each(item, rename) for item in value]
        return value

    def _value(self, key: str, item: Any, rename: Any) -> Any:
        """Whatever a field calls an id is one, in whatever form its maker writes ids."""
        if isinstance(item, str) and key.endswith("_id"):
            return rename("message" if key == "message_id" else "id", item)
        return self._each(item, rename)

    def _text(self, text: str, rename: Any) -> str:
        found = self._pattern.sub(lambda match: str(rename(match.lastgroup or "id", match.group())), text)
        return self._tag.sub("<tag>", found) if self._tag else found
