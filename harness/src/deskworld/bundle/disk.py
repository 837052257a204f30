"""Bytes on disk: files that must be new, files that only grow, and what the system refused, in words."""

import errno
import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from deskworld.errors import BundleFailed

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_NOFOLLOW


class Lines:
    """A file that only grows."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._hash = hashlib.sha256()
        with said(path):
            self._file = os.open(path, NEW, 0o600)
            # falls with the process, however that ends: who finds it free knows that nobody writes any more
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def add(self, value: dict[str, Any]) -> None:
        content = line(value)
        with said(self.path):
            write_all(self._file, content)
        self._hash.update(content)

    def sync(self) -> None:
        os.fdatasync(self._file)

    def close(self) -> str:
        with said(self.path):
            self.sync()
            os.close(self._file)
        return self._hash.hexdigest()


@contextmanager
def said(path: Path, *, verb: str = "write") -> Iterator[None]:
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


def write_new(path: Path, content: bytes) -> None:
    file = os.open(path, NEW, 0o600)
    try:
        write_all(file, content)
    except OSError:
        path.unlink()  # half a file is none
        raise
    finally:
        os.close(file)


def write_all(file: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(file, rest) :]


def sync(path: Path) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def line(value: dict[str, Any]) -> bytes:
    """ASCII, so that any text (a lone surrogate, a line separator) comes back as it was, in one line."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"


def is_written(path: Path) -> bool:
    """Whether some process still writes the file. Raises OSError."""
    file = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False
