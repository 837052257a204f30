"""One append-only file that holds all mail and what happened to it.

A record is one line of JSON, then `size` bytes: the message, and behind it the lines that each delivery adds to its
top. A record is appended by one write and is in force when that has returned; what a kill cut short was never
answered for, and is cut away at the next start. Nothing is synced: the stack is thrown away with its machine.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Record:
    """`at` is where its bytes begin in the file."""

    what: str
    value: dict[str, Any]
    at: int
    size: int


class Journal:
    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        self._end = os.fstat(self._file).st_size
        self._path = path

    def append(self, what: str, value: dict[str, Any], content: bytes = b"") -> Record:
        """Raises OSError, and then nothing of the record stays."""
        line = json.dumps([what, value, len(content)], separators=(",", ":")).encode() + b"\n"
        written = memoryview(line + content)
        start = self._end
        try:
            while written:
                count = os.write(self._file, written)
                self._end += count
                written = written[count:]
        except OSError:
            os.ftruncate(self._file, start)
            self._end = start
            raise
        return Record(what, value, start + len(line), len(content))

    def read(self, at: int, size: int) -> bytes:
        return os.pread(self._file, size, at)

    def replay(self) -> Iterator[Record]:
        """Every whole record, oldest first; a torn one at the end is cut away."""
        whole = 0
        with self._path.open("rb") as file:
            while line := file.readline():
                record = _record(line, file.tell())
                if record is None or record.at + record.size > self._end:
                    break
                file.seek(record.size, os.SEEK_CUR)
                whole = record.at + record.size
                yield record
        os.ftruncate(self._file, whole)
        self._end = whole

    def close(self) -> None:
        os.close(self._file)


def _record(line: bytes, at: int) -> Record | None:
    if not line.endswith(b"\n"):
        return None
    try:
        what, value, size = json.loads(line)
    except ValueError:
        return None
    return Record(what, value, at, size)
