"""Every change of one stored run that the operators make: each typed field of each kind, each row, each witness.

A mutation is only described here; `carried_out` makes it, on a copy, and mends what would give it away.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from deskworld.calibration import changes as changing
from deskworld.calibration.fields import FIELDS
from deskworld.calibration.mending import Json, mend, rename_blob, renumber

Path = tuple[str | int, ...]
Edit = Callable[[Json], None]

ENVELOPE = {"at": "moment", "cause": "count?"}
MENDED = frozenset({"hash", "prev_hash"})
"""What is made good after every change, and so cannot be changed alone."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """`target` names what is changed, the same in every run; `operator` how."""

    target: str
    operator: str
    edit: Edit


def carried_out(stored: str, mutation: Mutation) -> Json:
    """`stored` is the evidence as JSON text. What comes back is mended."""
    evidence: Json = json.loads(stored)
    mutation.edit(evidence)
    mend(evidence)
    return evidence


def mutations(evidence: Json) -> Iterator[Mutation]:
    for nth, timeline in enumerate(evidence["timelines"]):
        for place, row in enumerate(timeline["rows"]):
            yield from _of_row(("timelines", nth, "rows", place), row)
            yield from _whole_row(nth, place, timeline["rows"])
        yield from _document(("timelines", nth, "view"), timeline["view"], "view")
    for place, row in enumerate(evidence["set_aside"]):
        yield from _of_row(("set_aside", place), row)
        yield from _entry(("set_aside",), place, "set_aside[]")
    for name in ("erp", "policy", "identity", "mail"):
        yield from _document((name,), evidence[name], name)
    yield from _blobs(evidence)


def _of_row(path: Path, row: Json) -> Iterator[Mutation]:
    kind = row["kind"]
    for field, type_ in FIELDS.get(kind, {}).items():
        value, place = row["data"].get(field), (*path, "data", field)
        if type_.startswith("json") and value is not None:
            yield from _document(place, value, f"{kind}.{field}")
        else:
            yield from _changed(place, f"{kind}.{field}", type_, value)
    for field, type_ in ENVELOPE.items():
        yield from _changed((*path, field), f"{kind}:{field}", type_, row[field])
    for name in ("type", "id"):
        yield from _changed((*path, "actor", name), f"{kind}:actor.{name}", "code", row["actor"][name])


def _whole_row(nth: int, place: int, rows: list[Json]) -> Iterator[Mutation]:
    kind = rows[place]["kind"]
    yield Mutation(f"row {kind}", "dropped", partial(drop_row, nth=nth, place=place))
    yield Mutation(f"row {kind}", "twice", partial(_repeat_row, nth=nth, place=place))
    if place + 1 < len(rows) and rows[place + 1]["cause"] == rows[place]["seq"]:
        yield Mutation(f"row {kind}", "after its effect", partial(swap_rows, nth=nth, place=place))


def _document(path: Path, value: Any, target: str) -> Iterator[Mutation]:
    """Each field of a JSON value, however deep, and each entry of its lists: left out, and there twice."""
    if isinstance(value, dict):
        for name, item in value.items():
            if name in MENDED:
                continue
            yield from _document((*path, name), item, f"{target}.{name}")
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _document((*path, place), item, f"{target}[]")
            yield from _entry(path, place, f"{target}[]")
    elif value is not None:
        yield from _changed(path, target, changing.inferred(value), value)


def _entry(path: Path, place: int, target: str) -> Iterator[Mutation]:
    yield Mutation(target, "dropped", partial(_drop_entry, path=path, place=place))
    yield Mutation(target, "twice", partial(_repeat_entry, path=path, place=place))


def _changed(path: Path, target: str, type_: str, value: Any) -> Iterator[Mutation]:
    for operator, other in changing.changes(type_, value):
        yield Mutation(target, operator, partial(_put, path=path, value=other))


def _blobs(evidence: Json) -> Iterator[Mutation]:
    """By the kind of row that names it: its content changed and its digest made good, or the blob gone."""
    rows = [row for timeline in evidence["timelines"] for row in timeline["rows"]]
    named = {said: row["kind"] for row in rows for said in row["data"].values() if isinstance(said, str)}
    for name, value in evidence["blobs"].items():
        target = f"blob of {named.get(name, 'no row')}"
        yield Mutation(target, "gone", partial(_drop_blob, name=name))
        for one in _document(("blobs", name), value, target):
            yield Mutation(one.target, one.operator, partial(_changed_blob, edit=one.edit, name=name))


def _at(evidence: Json, path: Path) -> Any:
    found: Any = evidence
    for step in path:
        found = found[step]
    return found


def _put(evidence: Json, *, path: Path, value: Any) -> None:
    _at(evidence, path[:-1])[path[-1]] = value


def drop_row(evidence: Json, *, nth: int, place: int) -> None:
    """What it caused is said to be caused by what caused it."""
    rows = evidence["timelines"][nth]["rows"]
    gone = rows.pop(place)
    for row in rows:
        if row["cause"] == gone["seq"]:
            row["cause"] = gone["cause"]
    renumber(evidence, nth)


def _repeat_row(evidence: Json, *, nth: int, place: int) -> None:
    rows = evidence["timelines"][nth]["rows"]
    rows.insert(place + 1, json.loads(json.dumps(rows[place])))
    renumber(evidence, nth)


def swap_rows(evidence: Json, *, nth: int, place: int) -> None:
    """Two neighbours change places, and their moments with them."""
    rows = evidence["timelines"][nth]["rows"]
    first, second = rows[place], rows[place + 1]
    first["at"], second["at"] = second["at"], first["at"]
    rows[place], rows[place + 1] = second, first
    renumber(evidence, nth)


def _drop_entry(evidence: Json, *, path: Path, place: int) -> None:
    _at(evidence, path).pop(place)


def _repeat_entry(evidence: Json, *, path: Path, place: int) -> None:
    entries = _at(evidence, path)
    entries.insert(place, json.loads(json.dumps(entries[place])))


def _drop_blob(evidence: Json, *, name: str) -> None:
    del evidence["blobs"][name]


def _changed_blob(evidence: Json, *, edit: Edit, name: str) -> None:
    edit(evidence)
    rename_blob(evidence, name)
