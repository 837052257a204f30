"""The desk's timeline of one case: rows chained by their hashes, and the values that rows name by digest."""

import itertools
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from deskworld.values.chain import GENESIS, digest, hash_of

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def ids() -> Callable[[], str]:
    """Gives ids of version 7, the same ones in the same order each time."""
    count = itertools.count(1)
    return lambda: str(uuid.UUID(int=(0x0197A0000000_7000_8000 << 48) + next(count)))


class Timeline:
    def __init__(self, case_id: str) -> None:
        self.case_id = case_id
        self.state = "INVESTIGATING"
        self.rows: list[dict[str, Any]] = []
        self.blobs: dict[str, Any] = {}

    def say(self, kind: str, actor: str = "desk", cause: int | None = None, **data: Any) -> int:
        """The row's number. It is caused by the one before, unless told; `from_` loses its underscore."""
        seq = len(self.rows) + 1
        row = {
            "case_id": self.case_id,
            "seq": seq,
            "at": (START + timedelta(milliseconds=10 * seq)).isoformat(timespec="microseconds"),
            "kind": kind,
            "actor": {"type": actor, "id": actor},
            "cause": seq - 1 or None if cause is None else cause,
            "data": {name.rstrip("_"): value for name, value in data.items()},
            "prev_hash": self.rows[-1]["hash"] if self.rows else GENESIS,
            "format": 1,
        }
        row["hash"] = hash_of(row)
        self.rows.append(row)
        return seq

    def keep(self, value: Any) -> str:
        name = digest(value)
        self.blobs[name] = value
        return name

    def move_to(self, state: str) -> None:
        self.say("case.moved", from_=self.state, to=state, why="so it goes")
        self.state = state
