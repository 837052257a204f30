"""The same history with something else in it, its chains made good again: a check that fails does so for that alone."""

import copy
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from tests.support.histories.played import Played

from deskworld.values.chain import GENESIS, hash_of
from deskworld.values.evidence import Evidence
from deskworld.values.record import Record

Json = dict[str, Any]
Edit = Callable[[Json, Json], None]


def altered(played: Played, edit: Edit, *, rehash: bool = True) -> Played:
    """`edit` changes plain copies of evidence and record; the chains are made good again unless the test says not."""
    evidence = copy.deepcopy(played.evidence.model_dump(mode="json"))
    record = copy.deepcopy(played.record.model_dump(mode="json"))
    edit(evidence, record)
    if rehash:
        for timeline in evidence["timelines"]:
            _rechain(timeline["rows"])
        if evidence["erp"]:
            _rechain(evidence["erp"]["audit"])
    return Played(played.case, Record.model_validate(record), Evidence.model_validate(evidence))


def rows(evidence: Json, kind: str) -> list[Json]:
    return [row for timeline in evidence["timelines"] for row in timeline["rows"] if row["kind"] == kind]


def data(evidence: Json, kind: str, nth: int = -1) -> Json:
    found: Json = rows(evidence, kind)[nth]["data"]
    return found


def noted(row: Json) -> None:
    """In the row's place, a note that says nothing."""
    row["kind"], row["data"] = "person.noted", {"by": {"username": "x", "sub": "y"}, "text": ""}


def insert(evidence: Json, after: str, kind: str, **told: Any) -> Json:
    """A row more, behind the last one of kind `after`; later rows, and the view, move on by one."""
    timeline = evidence["timelines"][0]
    place = max(at for at, row in enumerate(timeline["rows"]) if row["kind"] == after) + 1
    row = {**copy.deepcopy(timeline["rows"][place - 1]), "kind": kind, "data": told}
    timeline["rows"].insert(place, row)
    renumber(evidence)
    return row


def renumber(evidence: Json) -> None:
    """Sequence numbers without a gap, also where rows are named by them."""
    for timeline in evidence["timelines"]:
        places = {row["seq"]: place for place, row in reversed(list(enumerate(timeline["rows"], start=1)))}
        for replay in evidence["policy"]:
            if replay["case_id"] == timeline["case_id"]:
                replay["seq"] = places.get(replay["seq"], replay["seq"])
        for place, row in enumerate(timeline["rows"], start=1):
            row["cause"] = places.get(row["cause"]) if row["cause"] else None
            row["seq"] = place
        timeline["view"]["seq"] = len(timeline["rows"])


def invoice(evidence: Json) -> Json:
    found: Json = evidence["erp"]["invoices"][0]
    return found


def command_row(evidence: Json) -> Json:
    """The audit's row of the command, its last one."""
    found: Json = evidence["erp"]["audit"][-1]
    return found


def half_off(amount: str) -> str:
    return str((Decimal(amount) / 2).quantize(Decimal("0.01")))


def _rechain(chained: list[Json]) -> None:
    before = GENESIS
    for row in chained:
        row["prev_hash"] = before
        row["hash"] = before = hash_of(row)
