"""One timeline row as it is hashed, stored and served. Pure."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from deskworld_desk.timeline.kinds import FORMAT, Actor, Entry
from deskworld_kit import chain


@dataclass(frozen=True, slots=True)
class Row:
    case_id: str | None
    seq: int
    kind: str
    at: datetime
    hash: str
    text: str


def make_row(
    *, case_id: str | None, seq: int, prev_hash: str, entry: Entry, actor: Actor, cause: int | None, at: datetime
) -> Row:
    """The row that stands after `prev_hash` in its chain."""
    row: dict[str, Any] = {
        "case_id": case_id,
        "seq": seq,
        "at": at.isoformat(timespec="microseconds"),
        "kind": entry.kind,
        "actor": {"type": actor.type, "id": actor.id},
        "cause": cause,
        "data": entry.model_dump(mode="json", by_alias=True),
        "prev_hash": prev_hash,
        "format": FORMAT,
    }
    row["hash"] = chain.link(prev_hash, row)
    return Row(case_id=case_id, seq=seq, kind=entry.kind, at=at, hash=row["hash"], text=dumps(row))


def dumps(value: Any) -> str:
    """JSON in ASCII, so that any text (a NUL, a lone surrogate) can be stored and comes back the same."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)
