"""The user's own folder in the temporary directory: caches, and a register of the stacks that are up.

Each stack holds a lock on its entry for as long as it lives, and a lock dies with its holder. So whoever gets the lock
of an entry knows that its stack is gone, and may clear up what it left behind.
"""

import contextlib
import fcntl
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from deskworld_embedded.errors import StackFailed, from_os_error


@dataclass(frozen=True, slots=True)
class Scratch:
    root: Path

    @property
    def cache(self) -> Path:
        return self.root / "cache"

    @property
    def stacks(self) -> Path:
        return self.root / "stacks"


def scratch(temp: Path | None = None) -> Scratch:
    """Makes the folder where it does not exist. Raises StackFailed when it is not ours alone to write."""
    uid = os.geteuid()
    # As root, Postgres runs as another user, who must be able to pass through.
    mode = 0o711 if uid == 0 else 0o700
    place = Scratch((temp or Path(tempfile.gettempdir())).resolve() / f"deskworld-{uid}")
    for folder in (place.root, place.cache, place.stacks):
        try:
            with contextlib.suppress(FileExistsError):
                folder.mkdir(mode=mode)
                folder.chmod(mode)
            _check_ours(folder, uid)
        except OSError as error:
            raise from_os_error("stack", error, doing="making the folder for temporary files") from error
    return place


def _check_ours(folder: Path, uid: int) -> None:
    seen = folder.lstat()
    step = "remove it, or point TMPDIR to a folder of your own"
    if not stat.S_ISDIR(seen.st_mode):
        raise StackFailed("stack", f"{folder} is not a folder", next_step=step)
    if seen.st_uid != uid:
        raise StackFailed("stack", f"{folder} belongs to another user", next_step=step)
    if seen.st_mode & 0o022:
        raise StackFailed("stack", f"{folder} can be written by other users", next_step=step)


@dataclass(frozen=True, slots=True)
class Entry:
    """One stack's place in the register; its lock is held until `leave`."""

    path: Path
    _lock: int

    def leave(self) -> None:
        """The stack has cleared up after itself."""
        self.path.unlink(missing_ok=True)
        os.close(self._lock)


def register(place: Scratch, stack_id: str, leftovers: Sequence[Path]) -> Entry:
    """`leftovers`: what is to be removed when this stack dies without clearing up."""
    path = place.stacks / f"{stack_id}.json"
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.write(lock, json.dumps({"pid": os.getpid(), "leftovers": [str(path) for path in leftovers]}).encode())
    except OSError as error:
        raise from_os_error("stack", error, doing="registering the stack in") from error
    return Entry(path, lock)


def sweep(place: Scratch) -> list[Path]:
    """Removes what stacks left behind that died without clearing up. Answers what it removed."""
    removed: list[Path] = []
    for path in sorted(place.stacks.glob("*.json")):
        with _abandoned(path) as leftovers:
            for left in leftovers:
                _remove(left)
                removed.append(left)
    return removed


@contextlib.contextmanager
def _abandoned(path: Path) -> Iterator[list[Path]]:
    try:
        lock = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        yield []  # gone in the meantime
        return
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield []  # its stack lives
            return
        try:
            leftovers = [Path(left) for left in json.loads(os.read(lock, 1 << 20))["leftovers"]]
        except (ValueError, KeyError, TypeError):
            # Locked a moment ago by a stack that is still writing its entry, or killed while doing so.
            yield []
            return
        yield leftovers
        path.unlink(missing_ok=True)
    finally:
        os.close(lock)


def _remove(left: Path) -> None:
    if left.is_dir() and not left.is_symlink():
        shutil.rmtree(left, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            left.unlink(missing_ok=True)


def passable(path: Path, uid: int, gid: int) -> bool:
    """Whether this user can pass through every folder above `path`."""
    for folder in path.resolve().parents:
        seen = folder.stat()
        bit = stat.S_IXUSR if seen.st_uid == uid else stat.S_IXGRP if seen.st_gid == gid else stat.S_IXOTH
        if not seen.st_mode & bit:
            return False
    return True
