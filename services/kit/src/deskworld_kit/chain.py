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


def around(row: Mapping[str, Any]) -> tuple[str, str]:
    """The canonical form of a row whose place in the chain is not known yet: what stands before the value of
    `prev_hash`, and what follows the number `seq`. Between them stand the hash, `","seq":` and the number."""
    before = {key: value for key, value in row.items() if key < "prev_hash"}
    after = {key: value for key, value in row.items() if key > "seq"}
    if not before or not after or len(before) + len(after) != len(row):
        raise ValueError("a row has keys before prev_hash and after seq, and none between them")
    return f'{_ENCODER.encode(before)[:-1]},"prev_hash":"', f",{_ENCODER.encode(after)[1:]}"


def verify(rows: Iterable[Mapping[str, Any]], start: str = GENESIS) -> int | None:
    """Position (from 0) of the first row that does not follow the one before, or None."""
    before = start
    for position, row in enumerate(rows):
        if row.get("prev_hash") != before or row.get("hash") != link(before, row):
            return position
        before = row["hash"]
    return None
