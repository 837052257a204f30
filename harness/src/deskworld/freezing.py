"""Held-out scenarios prove something only of a candidate that was finished before anybody saw its results on them.

A ledger in their folder says, in order, when a candidate and its gates were frozen and when results were shown. A
scenario is spent for whoever was frozen after it was shown. The ledger only grows; each line holds the hash of the one
before it, so that a line that was taken out is seen.
"""

import json
import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from deskworld.errors import UsageWrong
from deskworld.values.campaign import HeldOut
from deskworld.values.chain import GENESIS, first_broken, hash_of

LEDGER = "ledger.jsonl"


def freeze(folder: Path, agent: Mapping[str, Any], gates: str | None, *, at: datetime) -> dict[str, Any]:
    """Writes the line, or gives the one that is there: who was frozen stays so. Raises UsageWrong."""
    rows = read(folder)
    known = _frozen(rows, agent, gates)
    if known is not None:
        return known
    return _append(folder, rows, {"what": "frozen", "at": at.isoformat(), "agent": dict(agent), "gates": gates})


def shown(
    folder: Path, manifest: Mapping[str, Any], names: Sequence[str], *, at: datetime, frozen: bool = True
) -> HeldOut:
    """Records, before the first case is played, that results of these scenarios are being shown.

    `frozen`: the candidate must be; a baseline need not. Raises UsageWrong: it is not, or it changed since.
    """
    rows = read(folder)
    known = _frozen(rows, manifest["agent"], manifest["gates"])
    if known is None and frozen:
        raise UsageWrong(
            f"{manifest['agent']['name']} and its gates are not frozen as they are now, so held-out scenarios would "
            "prove nothing of them",
            next_step=f"`harness freeze {folder} --agent {manifest['agent']['name']}`, then the same run again",
        )
    digests = {name: manifest["scenarios"][name] for name in names}
    gone = () if known is None else spent(folder, known, digests)
    line = {"what": "shown", "at": at.isoformat(), "agent": dict(manifest["agent"]), "scenarios": digests}
    _append(folder, rows, line)
    return HeldOut(scenarios=tuple(names), spent=gone, frozen=known["at"] if known else "not a candidate")


def spent(folder: Path, frozen: Mapping[str, Any], digests: Mapping[str, str]) -> tuple[str, ...]:
    """The scenarios whose results were shown before this line was written. Raises UsageWrong."""
    rows = read(folder)
    return tuple(name for name, digest in digests.items() if _shown_before(rows, digest, frozen["seq"]))


def read(folder: Path) -> list[dict[str, Any]]:
    """Raises UsageWrong when a line was changed or taken out."""
    path = folder / LEDGER
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()] if path.is_file() else []
        broken = first_broken(rows)
    except (OSError, ValueError, AttributeError) as error:
        raise UsageWrong(f"{path}: cannot be read: {error}", next_step="put it back as it was") from error
    if broken is not None:
        raise UsageWrong(
            f"{path}:{broken + 1}: it is not the line that was written",
            next_step="put it back as it was; without it nobody knows which scenarios are spent",
        )
    return rows


def _frozen(rows: Sequence[Mapping[str, Any]], agent: Mapping[str, Any], gates: str | None) -> dict[str, Any] | None:
    """The first line that froze exactly these."""
    wanted = ("frozen", dict(agent), gates)
    return next((dict(row) for row in rows if (row["what"], row["agent"], row.get("gates")) == wanted), None)


def _shown_before(rows: Sequence[Mapping[str, Any]], digest: str, seq: int) -> bool:
    return any(row["what"] == "shown" and row["seq"] < seq and digest in row["scenarios"].values() for row in rows)


def _append(folder: Path, rows: Sequence[Mapping[str, Any]], told: Mapping[str, Any]) -> dict[str, Any]:
    row = {"seq": len(rows) + 1, **told, "prev_hash": rows[-1]["hash"] if rows else GENESIS}
    row["hash"] = hash_of(row)
    path = folder / LEDGER
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        try:
            os.write(file, json.dumps(row, separators=(",", ":")).encode("ascii") + b"\n")
            os.fsync(file)
        finally:
            os.close(file)
    except OSError as error:
        raise UsageWrong(f"cannot write {path}: {error.strerror}", next_step="the ledger stands beside them") from error
    return row
