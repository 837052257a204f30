"""Making good what gives a clumsy change away: numbers without a gap, chains unbroken, blobs by their new digest.

Whoever can write a record can mend its chain; so a changed record is judged with everything mended.
"""

from itertools import pairwise
from typing import Any

from deskworld.values.chain import GENESIS, digest, hash_of

Json = dict[str, Any]


def mend(evidence: Json) -> None:
    """Timelines hang on their own beginning; of the ERP's audit only neighbours can be linked."""
    for timeline in evidence["timelines"]:
        before = GENESIS
        for row in timeline["rows"]:
            row["prev_hash"] = before
            row["hash"] = before = hash_of(row)
    for row in evidence["set_aside"]:
        row["hash"] = hash_of(row)
    audit = sorted((evidence["erp"] or {}).get("audit", ()), key=lambda row: row["seq"])
    for row in audit[:1]:
        row["hash"] = hash_of(row)
    for earlier, later in pairwise(audit):
        if later["seq"] - earlier["seq"] == 1:
            later["prev_hash"] = earlier["hash"]
        later["hash"] = hash_of(later)


def renumber(evidence: Json, nth: int) -> None:
    """Numbers without a gap in one timeline, also where causes, replays and the view name rows by them."""
    timeline = evidence["timelines"][nth]
    places: dict[int, int] = {}
    for place, row in enumerate(timeline["rows"], start=1):
        places.setdefault(row["seq"], place)
    for replay in evidence["policy"] or ():
        if replay["case_id"] == timeline["case_id"]:
            replay["seq"] = places.get(replay["seq"], replay["seq"])
    for place, row in enumerate(timeline["rows"], start=1):
        row["cause"] = places.get(row["cause"]) if row["cause"] is not None else None
        row["seq"] = place
    timeline["view"]["seq"] = len(timeline["rows"])


def rename_blob(evidence: Json, name: str) -> None:
    """The blob stands under the digest of what it now holds, and every row that named it names that."""
    value = evidence["blobs"].pop(name)
    renamed = digest(value)
    evidence["blobs"][renamed] = value
    rows = [row for timeline in evidence["timelines"] for row in timeline["rows"]]
    for row in (*rows, *evidence["set_aside"]):
        for field, said in row["data"].items():
            if said == name:
                row["data"][field] = renamed
