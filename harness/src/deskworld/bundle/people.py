"""What people said of a closed bundle: a ledger beside its files, which changes none of them.

It only grows; each line holds the hash of the one before it and the digest of the bundle that it is about, so that a
line that was changed, taken out or brought from elsewhere is seen. Its last lines can be cut off unseen, as they can
from every ledger whose end nobody else holds.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deskworld.bundle.digests import DIGESTS, PEOPLE
from deskworld.bundle.disk import said, write_all
from deskworld.errors import BundleFailed
from deskworld.values.chain import GENESIS, first_broken, hash_of

Entry = dict[str, Any]


def digest_of(folder: Path) -> str:
    """What a closed bundle is known by. Raises BundleFailed."""
    with said(folder / DIGESTS, verb="read"):
        return hashlib.sha256((folder / DIGESTS).read_bytes()).hexdigest()


def heard(folder: Path) -> tuple[Entry, ...]:
    """Every line, in order. Raises BundleFailed, naming the line that is not as it was written."""
    path = folder / PEOPLE
    if not path.exists():
        return ()
    with said(path, verb="read"):
        return _checked(path, path.read_bytes(), digest_of(folder))


def say(folder: Path, told: Mapping[str, Any]) -> Entry:
    """Adds a line and gives it back as it stands there. Raises BundleFailed."""
    path, about = folder / PEOPLE, digest_of(folder)
    with said(path):
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        try:
            # two people may say something at once: each line follows the one that is there
            fcntl.flock(file, fcntl.LOCK_EX)
            rows = _checked(path, path.read_bytes(), about)
            row = {"seq": len(rows) + 1, "bundle": about, **told, "prev_hash": rows[-1]["hash"] if rows else GENESIS}
            row["hash"] = hash_of(row)
            write_all(file, json.dumps(row, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n")
            os.fsync(file)
        finally:
            os.close(file)
    return row


def _checked(path: Path, content: bytes, about: str) -> tuple[Entry, ...]:
    try:
        rows = [json.loads(line) for line in content.decode("ascii").splitlines()]
        broken = first_broken(rows)
    except (ValueError, AttributeError):
        raise BundleFailed(f"{path}: a line of it cannot be read", next_step="put it back as it was") from None
    if broken is not None:
        raise BundleFailed(f"{path}:{broken + 1}: it is not the line that was written", next_step="put it back")
    for number, row in enumerate(rows, 1):
        if row.get("bundle") != about:
            raise BundleFailed(f"{path}:{number}: it is about another bundle", next_step="take that file away")
    return tuple(rows)
