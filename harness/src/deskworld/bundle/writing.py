"""An open bundle: cases are added while it is played, and closing it writes its digests."""

import errno
import hashlib
import os
import re
import tempfile
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from deskworld.bundle.digests import DIGESTS, digest_file
from deskworld.bundle.disk import Lines, line, said, sync, write_new
from deskworld.values.evidence import Evidence
from deskworld.values.record import Record
from deskworld.values.verdict import Verdict

SCHEMA = "deskworld/bundle/1"
Status = Literal["complete", "interrupted", "failed"]
_SAME_NAME = 1000


class Bundle:
    """An open bundle. It is used by one task at a time, or by tasks of one loop: no method gives way."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._digests: dict[str, str] = {}
        self._journal = Lines(folder / "journal.jsonl")
        self._verdicts = Lines(folder / "verdicts.jsonl")
        self._closed = False
        self._beside = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sync")
        self._syncing: deque[Future[None]] = deque()

    def append(self, index: int, record: Record, evidence: Evidence | None, verdict: Verdict) -> None:
        """Raises BundleFailed: the disk is full, the folder is gone, or the case is there already."""
        entries = (("record", record), ("evidence", evidence), ("verdict", verdict))
        content = b"".join(line({"kind": kind, "value": _dumped(value)}) for kind, value in entries)
        self.take_over(index, content, verdict)

    def take_over(self, index: int, content: bytes, verdict: Verdict) -> None:
        """A case as another bundle holds it, byte for byte. Raises BundleFailed."""
        name = f"cases/{index:04d}-{verdict.scenario}.jsonl"
        self.write(name, content)
        self._verdicts.add({"index": index, "value": _dumped(verdict)})
        told = {"scenario": verdict.scenario, "seed": verdict.seed, "passed": verdict.passed}
        self._journal.add({"case": index, "file": name, "sha256": self._digests[name], **told})
        self._syncing.append(self._beside.submit(self._sync_case, self.folder / name))
        self._synced(wait=False)

    def write(self, name: str, content: bytes) -> None:
        """A whole file, which must not be there yet. Raises BundleFailed."""
        with said(self.folder / name):
            write_new(self.folder / name, content)
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
        with said(self.folder):
            write_new(self.folder / DIGESTS, digest_file(self._digests))
            for path in (*self.folder.iterdir(), self.folder, self.folder.parent):
                sync(path)

    def _sync_case(self, path: Path) -> None:
        """Beside the play: a disk's milliseconds are not a case's."""
        sync(path)
        self._journal.sync()

    def _synced(self, *, wait: bool) -> None:
        """What the disk refused meanwhile is said here. Raises BundleFailed."""
        with said(self.folder):
            while self._syncing and (wait or self._syncing[0].done()):
                self._syncing.popleft().result()


def prepare(runs: Path) -> None:
    """Makes the folder of bundles, so that a place that cannot be written is known before anything is started.

    Raises BundleFailed.
    """
    with said(runs):
        runs.mkdir(mode=0o700, parents=True, exist_ok=True)
        Path(tempfile.mkdtemp(prefix=".writable-", dir=runs)).rmdir()


def open_bundle(runs: Path, manifest: dict[str, Any], *, at: datetime) -> Bundle:
    """A new folder under `runs`, named by the time and `manifest["label"]`. Raises BundleFailed."""
    prepare(runs)
    label = re.sub(r"[^a-z0-9]+", "-", str(manifest["label"]).lower()).strip("-")[:60] or "run"
    with said(runs):
        folder = _new_folder(runs, f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}-{label}")
        (folder / "cases").mkdir(mode=0o700)
        book = Bundle(folder)
    book.write("manifest.json", line({"schema": SCHEMA, "opened": at.isoformat(), **manifest}))
    with said(folder):
        for path in (folder / "manifest.json", folder, runs):
            sync(path)
    return book


def _new_folder(runs: Path, name: str) -> Path:
    for number in range(1, _SAME_NAME):
        folder = runs / (name if number == 1 else f"{name}-{number}")
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
            return folder
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(runs / name))


def _dumped(value: Record | Evidence | Verdict | None) -> Any:
    return None if value is None else value.model_dump(mode="json", by_alias=True)
