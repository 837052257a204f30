"""Hash-chained rows: each carries the hash of the one before, so that a change or a gap shows."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

GENESIS = "0" * 64


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical(value: Any) -> bytes:
    """Sorted keys, no spaces, UTF-8: one byte form for one JSON value."""
    return _ENCODER.encode(value).encode("utf-8", "surrogatepass")


def digest(value: Any) -> str:
    """SHA-256 of the canonical form, in hex."""
    return hashlib.sha256(canonical(value)).hexdigest()


def link(prev_hash: str, row: Mapping[str, Any]) -> str:
    """The hash of a row that stands after `prev_hash`; a `hash` already in the row is left out."""
    return digest({**{key: value for key, value in row.items() if key != "hash"}, "prev_hash": prev_hash})


def verify(rows: Iterable[Mapping[str, Any]], start: str = GENESIS) -> int | None:
    """Position (from 0) of the first row that does not follow the one before, or None."""
    before = start
    for position, row in enumerate(rows):
        if row.get("prev_hash") != before or row.get("hash") != link(before, row):
            return position
        before = row["hash"]
    return None
