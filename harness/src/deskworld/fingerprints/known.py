"""What an agent was seen to do before: each fingerprint by agent and label, first seen, last seen, and how often.

One JSON file, written whole beside its place and then put there. A run is counted once, however often it is remembered.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import Field, ValidationError

from deskworld.errors import BundleFailed
from deskworld.fingerprints.turns import Turn
from deskworld.values.frozen import Frozen
from deskworld.values.rounds import FORMAT


class Sighting(Frozen):
    """`first` and `last`: the runs' own opening times, RFC 3339."""

    first: str
    last: str
    count: int


class Known(Frozen):
    """By agent, label and fingerprint. `runs`: the bundles that were counted, by their names."""

    format: int = FORMAT
    runs: tuple[str, ...] = ()
    seen: dict[str, dict[str, dict[str, Sighting]]] = Field(default_factory=dict)

    def of(self, turn: Turn) -> Sighting | None:
        return self.seen.get(turn.agent, {}).get(turn.label, {}).get(turn.fingerprint)


def read(path: Path) -> Known:
    """Nothing is known where there is no file. Raises BundleFailed: it has another format, or was tampered with."""
    if not path.exists():
        return Known()
    try:
        known = Known.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise BundleFailed(f"cannot read {path}: {error}", next_step="name another file with --known") from error
    if known.format != FORMAT:
        raise BundleFailed(
            f"{path} holds fingerprints of format {known.format}, and these are {FORMAT}",
            next_step="start another file: fingerprints are not compared across formats",
        )
    return known


def remembered(known: Known, turns: Iterable[Turn], *, run: str, at: str) -> Known:
    """With the turns of this run added; the same where the run was counted before."""
    if run in known.runs:
        return known
    seen = {agent: {label: dict(by) for label, by in labels.items()} for agent, labels in known.seen.items()}
    for turn in turns:
        by = seen.setdefault(turn.agent, {}).setdefault(turn.label, {})
        before = by.get(turn.fingerprint, Sighting(first=at, last=at, count=0))
        by[turn.fingerprint] = Sighting(first=min(before.first, at), last=max(before.last, at), count=before.count + 1)
    return Known(runs=(*known.runs, run), seen=seen)


def write(path: Path, known: Known) -> None:
    """Raises BundleFailed."""
    beside = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(_text(known.model_dump(mode="json")), encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        raise BundleFailed(
            f"cannot write {path}: {error.strerror}", next_step="name another file with --known"
        ) from error


def _text(value: Mapping[str, object]) -> str:
    return json.dumps(value, indent=1, sort_keys=True) + "\n"
