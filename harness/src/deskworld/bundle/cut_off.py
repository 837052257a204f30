"""A bundle that was cut off: what of it is whole, so that only the rest is run again. Nothing in it is changed."""

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deskworld.bundle.digests import DIGESTS
from deskworld.bundle.disk import is_written, said
from deskworld.bundle.reading import StoredCase, index_of, parsed, read_bundle
from deskworld.bundle.writing import SCHEMA
from deskworld.errors import BundleFailed

CASE = re.compile(r"cases/\d{4,}-[a-z0-9-]+\.jsonl")


@dataclass(frozen=True, slots=True)
class Kept:
    """A whole case: its bytes, and what they say."""

    content: bytes
    case: StoredCase


@dataclass(frozen=True, slots=True)
class CutOff:
    """`files`: those that the journal names and that are what it says; `torn`: how many are not."""

    folder: Path
    manifest: dict[str, Any]
    files: dict[str, str]
    torn: int

    def kept(self) -> Iterator[Kept]:
        """One at a time. Raises BundleFailed."""
        for name, digest in self.files.items():
            with said(self.folder / name, verb="read"):
                content = (self.folder / name).read_bytes()
                if hashlib.sha256(content).hexdigest() != digest:
                    raise BundleFailed(f"{self.folder / name} changes while it is read", next_step="let it be at rest")
                yield Kept(content, parsed(index_of(name), content))


def cut_off(folder: Path) -> CutOff:
    """Raises BundleFailed: it is complete, it is still being written, it was tampered with, or it is no bundle."""
    if (folder / DIGESTS).is_file():
        return _closed(folder)
    with said(folder, verb="read"):
        if is_written(folder / "journal.jsonl"):
            raise BundleFailed(f"{folder} is still being written", next_step="wait for that run, or stop it")
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        if manifest.get("schema") != SCHEMA:
            raise BundleFailed(f"{folder} is no bundle of this form ({SCHEMA})", next_step="start a new run")
        named = dict(_journal(folder / "journal.jsonl"))
        # what a kill tore has no line in the journal, or, after a loss of power, not the bytes that its line names
        whole = {name: digest for name, digest in named.items() if _digest(folder / name) == digest}
    torn = len(list((folder / "cases").glob("*"))) - len(whole)
    return CutOff(folder=folder, manifest=manifest, files=whole, torn=max(torn, len(named) - len(whole)))


def _closed(folder: Path) -> CutOff:
    """One that somebody stopped was closed in good order."""
    stored = read_bundle(folder)
    if stored.status == "complete":
        raise BundleFailed(f"{folder} is complete: nothing of it is missing", next_step="start a new run")
    files = {name: stored.files[name] for name in stored.case_files}
    return CutOff(folder=folder, manifest=stored.manifest, files=files, torn=0)


def _journal(path: Path) -> Iterator[tuple[str, str]]:
    """(file, digest) of each case. The last line may be torn; any other that cannot be read was tampered with."""
    lines = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines[:-1], start=1):
        try:
            entry = json.loads(line)
            if not CASE.fullmatch(entry["file"]):
                raise ValueError(entry["file"])
            yield entry["file"], str(entry["sha256"])
        except (ValueError, LookupError, TypeError):
            raise BundleFailed(f"{path}:{number}: it cannot be read", next_step="start a new run") from None


def _digest(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
