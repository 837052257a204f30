"""A closed bundle, read only when its digests are true."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from deskworld.bundle.digests import DIGESTS, checked, tampered
from deskworld.bundle.disk import said
from deskworld.bundle.writing import SCHEMA, Status
from deskworld.errors import BundleFailed
from deskworld.values.evidence import Evidence
from deskworld.values.record import Record
from deskworld.values.verdict import Verdict


@dataclass(frozen=True, slots=True)
class StoredCase:
    index: int
    record: Record
    evidence: Evidence | None
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class StoredBundle:
    """A bundle whose digests were found true. `files`: each with its digest; `cases` in the order of the plan."""

    folder: Path
    manifest: dict[str, Any]
    status: Status
    files: Mapping[str, str]

    @property
    def case_files(self) -> tuple[str, ...]:
        return tuple(sorted((name for name in self.files if name.startswith("cases/")), key=index_of))

    def cases(self) -> Iterator[StoredCase]:
        """One at a time: a bundle can be larger than memory. Raises BundleFailed, also for what changed meanwhile."""
        for name in self.case_files:
            yield stored_case(self.folder / name, self.files[name])


def read_bundle(folder: Path) -> StoredBundle:
    """Raises BundleFailed, naming the file, when anything is not what the digests say."""
    with said(folder, verb="read"):
        text = (folder / DIGESTS).read_bytes() if (folder / DIGESTS).is_file() else None
        if text is None:
            raise BundleFailed(
                f"{folder} is not closed: it has no {DIGESTS}", next_step="the run was killed, or it still runs"
            )
        digests = checked(folder, text)
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        journal = (folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()
        closed = json.loads(journal[-1]).get("closed") if journal else None
    if manifest.get("schema") != SCHEMA or closed is None:
        raise BundleFailed(f"{folder} is no bundle of this form ({SCHEMA})", next_step="read it with its own version")
    return StoredBundle(folder=folder, manifest=manifest, status=closed, files=digests)


def stored_case(path: Path, sha256: str) -> StoredCase:
    """Raises BundleFailed when its bytes do not have this digest."""
    with said(path, verb="read"):
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != sha256:
            raise tampered(path)
        return parsed(index_of(path.name), content)


def parsed(index: int, content: bytes) -> StoredCase:
    """A case file's bytes. Raises ValueError and LookupError for what is none."""
    values = dict(map(_entry, content.splitlines()))
    return StoredCase(
        index=index,
        record=_read_as(Record, values["record"]),
        evidence=None if values["evidence"] == b"null" else _read_as(Evidence, values["evidence"]),
        verdict=_read_as(Verdict, values["verdict"]),
    )


def index_of(name: str) -> int:
    return int(name.rpartition("/")[2].partition("-")[0])


_ENTRY = re.compile(rb'\{"kind":"([a-z]+)","value":(.*)\}')


def _entry(line: bytes) -> tuple[str, bytes]:
    found = _ENTRY.fullmatch(line)
    if found is None:
        raise ValueError("a line of it is cut off")
    return found.group(1).decode(), found.group(2)


M = TypeVar("M", bound=BaseModel)


def _read_as(model: type[M], text: bytes) -> M:
    """Straight from the bytes. Their reader refuses half a surrogate pair, which mail can hold: that is read slowly."""
    try:
        return model.model_validate_json(text)
    except ValidationError:
        return model.model_validate(json.loads(text))
