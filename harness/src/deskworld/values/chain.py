"""The chain that records hang on, as the page of doors writes it: canonical JSON, SHA-256, row after row.

The harness checks what the services wrote with its own reading of that page; it never imports theirs.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

GENESIS = "0" * 64


def canonical(value: Any) -> bytes:
    """Sorted keys, no spaces, UTF-8. Raises ValueError for NaN and infinity, TypeError for what is not JSON."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "surrogatepass")


def digest(value: Any) -> str:
    return hashlib.sha256(canonical(value)).hexdigest()


def hash_of(row: Mapping[str, Any]) -> str:
    """What a row's `hash` must be: over everything in it but that."""
    return digest({key: value for key, value in row.items() if key != "hash"})


def first_broken(rows: Iterable[Mapping[str, Any]], start: str = GENESIS) -> int | None:
    """Position (from 0) of the first row that does not follow the one before, or None."""
    before = start
    for position, row in enumerate(rows):
        if row.get("prev_hash") != before or row.get("hash") != hash_of(row):
            return position
        before = row["hash"]
    return None
