"""A run bundle: a folder that is written once, row by row, and closed with a digest. Nothing in it is overwritten.

    runs/<time>-<label>/
      manifest.json                 what was run: settings, versions, digests
      cases/<nnnn>-<scenario>.jsonl the record, the evidence, the verdict: a line each
      verdicts.jsonl                one verdict a line, in the order in which the cases ended
      journal.jsonl                 which case is on disk, with its digest
      report.md, report.json
      DIGESTS                       SHA-256 of every file, and over all of them

Cases and journal are synced beside the play, in order; the journal's digests tell a torn file.
"""

import errno
import hashlib
import json
import os
import re
import tempfile
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from deskworld.errors import BundleFailed
from deskworld.values.evidence import Evidence
from deskworld.values.record import Record
from deskworld.values.verdict import Verdict

SCHEMA = "deskworld/bundle/1"
Status = Literal["complete", "interrupted", "failed"]
DIGESTS = "DIGESTS"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_NOFOLLOW
_SAME_NAME = 1000


class Bundle:
    """An open bundle. It is used by one task at a time, or by tasks of one loop: no method gives way."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._digests: dict[str, str] = {}
        self._journal = _Lines(folder / "journal.jsonl")
        self._verdicts = _Lines(folder / "verdicts.jsonl")
        self._closed = False
        self._beside = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sync")
        self._syncing: deque[Future[None]] = deque()

    def append(self, index: int, record: Record, evidence: Evidence | None, verdict: Verdict) -> None:
        """Raises BundleFailed: the disk is full, the folder is gone, or the case is there already."""
        name = f"cases/{index:04d}-{record.case.scenario}.jsonl"
        entries = (("record", record), ("evidence", evidence), ("verdict", verdict))
        content = b"".join(_line({"kind": kind, "value": _dumped(value)}) for kind, value in entries)
        self.write(name, content)
        self._verdicts.add({"index": index, "value": _dumped(verdict)})
        self._journal.add({"case": index, "file": name, "sha256": self._digests[name], "passed": verdict.passed})
        self._syncing.append(self._beside.submit(self._sync_case, self.folder / name))
        self._synced(wait=False)

    def write(self, name: str, content: bytes) -> None:
        """A whole file, which must not be there yet. Raises BundleFailed."""
        with _said(self.folder / name):
            _write_new(self.folder / name, content)
        self._digests[name] = hashlib.sha256(content).hexdigest()

    def close(self, status: Status) -> None:
        """Ends the journal with the status and writes the digests; a second call does nothing. Raises BundleFailed."""
        if self._closed:
            return
        self._closed = True
        self._journal.add(
            {"closed": status, "cases": len([name for name in self._digests if name.startswith("cases/")])}
        )
        self._synced(wait=True)
        self._beside.shutdown()
        for lines in (self._journal, self._verdicts):
            self._digests[lines.path.name] = lines.close()
        with _said(self.folder):
            _write_new(self.folder / DIGESTS, digest_file(self._digests))
            for path in (*self.folder.iterdir(), self.folder, self.folder.parent):
                _sync(path)

    def _sync_case(self, path: Path) -> None:
        """Beside the play: a disk's milliseconds are not a case's."""
        _sync(path)
        self._journal.sync()

    def _synced(self, *, wait: bool) -> None:
        """What the disk refused meanwhile is said here. Raises BundleFailed."""
        with _said(self.folder):
            while self._syncing and (wait or self._syncing[0].done()):
                self._syncing.popleft().result()


@dataclass(frozen=True, slots=True)
class StoredCase:
    index: int
    record: Record
    evidence: Evidence | None
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class StoredBundle:
    """A bundle whose digests were found true."""

    folder: Path
    manifest: dict[str, Any]
    status: Status
    files: tuple[str, ...]

    def cases(self) -> Iterator[StoredCase]:
        """One at a time, in order: a bundle can be larger than memory. Raises BundleFailed."""
        for name in self.files:
            if name.startswith("cases/"):
                yield _stored_case(self.folder / name)


def prepare(runs: Path) -> None:
    """Makes the folder of bundles, so that a place that cannot be written is known before anything is started.

    Raises BundleFailed.
    """
    with _said(runs):
        runs.mkdir(mode=0o700, parents=True, exist_ok=True)
        Path(tempfile.mkdtemp(prefix=".writable-", dir=runs)).rmdir()


def open_bundle(runs: Path, manifest: dict[str, Any], *, at: datetime) -> Bundle:
    """A new folder under `runs`, named by the time and `manifest["label"]`. Raises BundleFailed."""
    prepare(runs)
    label = re.sub(r"[^a-z0-9]+", "-", str(manifest["label"]).lower()).strip("-")[:60] or "run"
    with _said(runs):
        folder = _new_folder(runs, f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}-{label}")
        (folder / "cases").mkdir(mode=0o700)
        book = Bundle(folder)
    book.write("manifest.json", _line({"schema": SCHEMA, "opened": at.isoformat(), **manifest}))
    return book


def read_bundle(folder: Path) -> StoredBundle:
    """Raises BundleFailed, naming the file, when anything is not what the digests say."""
    with _said(folder, verb="read"):
        text = (folder / DIGESTS).read_bytes() if (folder / DIGESTS).is_file() else None
        if text is None:
            raise BundleFailed(
                f"{folder} is not closed: it has no {DIGESTS}", next_step="the run was killed, or it still runs"
            )
        digests = _checked(folder, text)
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        journal = (folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()
        closed = json.loads(journal[-1]).get("closed") if journal else None
    if manifest.get("schema") != SCHEMA or closed is None:
        raise BundleFailed(f"{folder} is no bundle of this form ({SCHEMA})", next_step="read it with its own version")
    return StoredBundle(folder=folder, manifest=manifest, status=closed, files=tuple(sorted(digests)))


def digest_file(digests: dict[str, str]) -> bytes:
    """`<sha256>  <file>` for each, as sha256sum writes it, and a last line over those lines."""
    lines = "".join(f"{digests[name]}  {name}\n" for name in sorted(digests))
    return f"{lines}{hashlib.sha256(lines.encode()).hexdigest()}  *\n".encode()


def _checked(folder: Path, text: bytes) -> dict[str, str]:
    lines = text.decode("utf-8", "replace").splitlines()
    digests = {name: value for value, _, name in (line.partition("  ") for line in lines)}
    digests.pop("*", None)
    if text != digest_file(digests):
        raise _tampered(folder / DIGESTS)
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()} - {DIGESTS}
    for name in sorted(found ^ set(digests)):
        raise _tampered(folder / name, "it is missing" if name in digests else "it was added")
    for name, value in sorted(digests.items()):
        with (folder / name).open("rb") as stream:
            if hashlib.file_digest(stream, "sha256").hexdigest() != value:
                raise _tampered(folder / name)
    return digests


def _tampered(path: Path, how: str = "it is not what its digest says") -> BundleFailed:
    return BundleFailed(f"{path}: {how}", next_step="the bundle proves nothing any more; run again")


def _stored_case(path: Path) -> StoredCase:
    with _said(path, verb="read"):
        lines = path.read_text(encoding="utf-8").splitlines()
        values = {entry["kind"]: entry["value"] for entry in map(json.loads, lines)}
        evidence = values["evidence"]
        return StoredCase(
            index=int(path.name.partition("-")[0]),
            record=Record.model_validate(values["record"]),
            evidence=None if evidence is None else Evidence.model_validate(evidence),
            verdict=Verdict.model_validate(values["verdict"]),
        )


class _Lines:
    """A file that only grows."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._hash = hashlib.sha256()
        with _said(path):
            self._file = os.open(path, _NEW, 0o600)

    def add(self, value: dict[str, Any]) -> None:
        content = _line(value)
        with _said(self.path):
            _write_all(self._file, content)
        self._hash.update(content)

    def sync(self) -> None:
        os.fdatasync(self._file)

    def close(self) -> str:
        with _said(self.path):
            self.sync()
            os.close(self._file)
        return self._hash.hexdigest()


@contextmanager
def _said(path: Path, *, verb: str = "write") -> Iterator[None]:
    """Says what the system refused, and what to do about it."""
    try:
        yield
    except OSError as error:
        steps = {
            errno.ENOSPC: "the disk is full: free some space, or name another folder with --runs",
            errno.EDQUOT: "your quota is used up: free some space, or name another folder with --runs",
            errno.EACCES: "the folder is not yours to use: name another one with --runs",
            errno.EROFS: "the disk is read-only: name another folder with --runs",
            errno.EEXIST: "nothing is overwritten: name another folder with --runs",
            errno.ENOENT: "the folder is not there: name one that is",
        }
        step = steps.get(error.errno or 0, "name another folder with --runs")
        raise BundleFailed(f"cannot {verb} {path}: {error.strerror or error}", next_step=step) from error
    except (ValueError, LookupError) as error:
        what = f"cannot {verb} {path}: {type(error).__name__}: {str(error).splitlines()[0]}"
        raise BundleFailed(what, next_step="it was written by another version, or by something else") from error


def _new_folder(runs: Path, name: str) -> Path:
    for number in range(1, _SAME_NAME):
        folder = runs / (name if number == 1 else f"{name}-{number}")
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
            return folder
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(runs / name))


def _write_new(path: Path, content: bytes) -> None:
    file = os.open(path, _NEW, 0o600)
    try:
        _write_all(file, content)
    except OSError:
        path.unlink()  # half a file is none
        raise
    finally:
        os.close(file)


def _write_all(file: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(file, rest) :]


def _sync(path: Path) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _dumped(value: Record | Evidence | Verdict | None) -> Any:
    return None if value is None else value.model_dump(mode="json", by_alias=True)


def _line(value: dict[str, Any]) -> bytes:
    """ASCII, so that any text (a lone surrogate, a line separator) comes back as it was, in one line."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"
