"""The normalised timeline: what two runs of the same case must have in common, and nothing else.

Ids become names in the order of their first appearance; times and digests go; a row's place is its cause, and rows
under one cause stand by kind and content; what was read, returned, cited or settled are sets, whose order says nothing;
of a mail server's answer the reply code stays; the chain is made anew. A change of the form is a new NORMAL_FORM.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from deskworld.scoring.renaming import Texts
from deskworld.values.chain import GENESIS, canonical, hash_of
from deskworld.values.evidence import CaseTimeline, Row

NORMAL_FORM = "2"

DROPPED = frozenset({"at", "hash", "prev_hash", "seq", "cause"})
"""Of a row; digests and times inside its data go too."""


def normalise(timelines: Iterable[CaseTimeline], tag: str) -> list[Row]:
    """All rows of all timelines as one list. `tag` is what marks the case in its stack."""
    texts = Texts(tag)
    ordered = sorted(timelines, key=lambda one: _key(texts, one.rows[:1]))
    found = [(one.case_id, _in_causal_order(one.rows, texts)) for one in ordered]
    for number, (case_id, rows) in enumerate(found, start=1):
        texts.called(case_id, f"case-{number}")
        for place, row in enumerate(rows):
            texts.met(_content(row), (number, place))
    return [row for _, rows in found for row in _renamed(rows, texts)]


def _renamed(rows: list[Row], texts: Texts) -> Iterator[Row]:
    places = {row["seq"]: place for place, row in enumerate(rows, start=1)}
    before = GENESIS
    for place, row in enumerate(rows, start=1):
        made = texts.named(_content(row))
        made |= {"seq": place, "cause": places.get(row["cause"]), "prev_hash": before}
        made["hash"] = before = hash_of(made)
        yield made


def _content(row: Row) -> Row:
    return {key: value for key, value in row.items() if key not in DROPPED}


def _in_causal_order(rows: Iterable[Row], texts: Texts) -> list[Row]:
    """Depth first, with a stack, because causes can form long chains."""
    by_cause: dict[int | None, list[Row]] = defaultdict(list)
    known = {row["seq"] for row in rows}
    for row in rows:
        by_cause[row["cause"] if row["cause"] in known else None].append(row)
    found: list[Row] = []
    waiting = _siblings(by_cause, None, texts)[::-1]
    while waiting:
        row = waiting.pop()
        found.append(row)
        waiting += _siblings(by_cause, row["seq"], texts)[::-1]
    return found


def _siblings(by_cause: Mapping[int | None, list[Row]], cause: int | None, texts: Texts) -> list[Row]:
    return sorted(by_cause.get(cause, ()), key=lambda row: (row["kind"], _key(texts, [row]), row["seq"]))


def _key(texts: Texts, rows: Iterable[Row]) -> bytes:
    return canonical([texts.blank(_content(row)) for row in rows])
