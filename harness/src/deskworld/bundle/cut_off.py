"""A bundle that was cut off: what of it is whole, so that only the rest is run again. Nothing in it is changed."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deskworld.bundle.digests import DIGESTS
from deskworld.bundle.disk import is_written, said
from deskworld.bundle.reading import StoredCase, index_of, parsed, read_bundle
from deskworld.bundle.writing import SCHEMA
from deskworld.errors import BundleFailed

CASE = re.compile(r"cases/\d{4,}-[a-z0-9-]+\.jsonl")


Played = tuple[str, int]
"""A scenario's name and a seed: within one campaign, that is one case."""


@dataclass(frozen=True, slots=True)
class CutOff:
    """`whole`: the file of each case that the journal names, where it is what the journal says; `torn`: how many are
    not, or have no line there."""

    folder: Path
    manifest: dict[str, Any]
    whole: Mapping[Played, tuple[str, str]]
    torn: int

    def read(self, played: Played) -> tuple[bytes, StoredCase]:
        """A whole case: its bytes, and what they say. Raises BundleFailed."""
        name, digest = self.whole[played]
        path = self.folder / name
        with said(path, verb="read"):
            content = path.read_bytes()
            case = parsed(index_of(name), content)
        if hashlib.sha256(content).hexdigest() != digest or (case.verdict.scenario, case.verdict.seed) != played:
            raise BundleFailed(f"{path} is not what the journal says", next_step="start a new run")
        return content, case


def cut_off(folder: Path) -> CutOff:
    """Raises BundleFailed: it is complete, it is still being written, it was tampered with, or it is no bundle."""
    closed = (folder / DIGESTS).is_file()
    if closed and read_bundle(folder).status == "complete":
        raise BundleFailed(f"{folder} is complete: nothing of it is missing", next_step="start a new run")
    with said(folder, verb="read"):
        if not closed and is_written(folder / "journal.jsonl"):
            raise BundleFailed(f"{folder} is still being written", next_step="wait for that run, or stop it")
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        if manifest.get("schema") != SCHEMA:
            raise BundleFailed(f"{folder} is no bundle of this form ({SCHEMA})", next_step="start a new run")
        named = dict(_journal(folder / "journal.jsonl"))
        # what a kill tore has no line in the journal, or, after a loss of power, not the bytes that its line names
        whole = {played: found for played, found in named.items() if _digest(folder / found[0]) == found[1]}
        torn = len([path for path in (folder / "cases").iterdir() if path.is_file()]) - len(whole)
    return CutOff(folder=folder, manifest=manifest, whole=whole, torn=max(torn, len(named) - len(whole)))


def _journal(path: Path) -> Iterator[tuple[Played, tuple[str, str]]]:
    """The file and digest of each case. The last line may be torn; any other that cannot be read was tampered with."""
    lines = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines[:-1], start=1):
        try:
            entry = json.loads(line)
            if "closed" in entry:
                return
            if not CASE.fullmatch(entry["file"]):
                raise ValueError(entry["file"])
            yield (str(entry["scenario"]), int(entry["seed"])), (entry["file"], str(entry["sha256"]))
        except (ValueError, LookupError, TypeError):
            raise BundleFailed(f"{path}:{number}: it cannot be read", next_step="start a new run") from None


def _digest(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
