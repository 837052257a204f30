"""Where one stack keeps its data and logs, and what of it is removed."""

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from deskworld_embedded.errors import StackFailed, from_os_error
from deskworld_embedded.scratch import Scratch

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_OURS = "stack.lock"


@dataclass(frozen=True, slots=True)
class Folders:
    root: Path
    made: bool
    """The root did not exist before, so it goes too."""
    _lock: int

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def mail(self) -> Path:
        return self.root / "mail"

    @property
    def identity(self) -> Path:
        return self.root / "identity"

    @property
    def stack_file(self) -> Path:
        return self.root / "stack.json"

    @property
    def status_file(self) -> Path:
        return self.root / "status.json"

    @property
    def contents(self) -> Sequence[Path]:
        """All that a stack puts into its root; nothing else there is ever touched."""
        data = (self.mail, self.identity, self.root / "postgres", self.stack_file, self.status_file)
        return (*data, self.logs, self.root / _OURS)

    def log(self, name: str) -> Path:
        return self.logs / f"{name}.log"

    def digest(self) -> str:
        return hashlib.sha256(str(self.root).encode()).hexdigest()[:12]

    def remove(self, *, with_logs: bool) -> None:
        for path in self.contents:
            if path == self.logs and not with_logs:
                continue
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                with contextlib.suppress(OSError):
                    path.unlink(missing_ok=True)
        if self.made:
            with contextlib.suppress(OSError):
                self.root.rmdir()


def check_name(name: str) -> str:
    """Raises StackFailed."""
    if not _NAME.fullmatch(name):
        reason = f"{name!r} cannot be a stack's name"
        raise StackFailed("stack", reason, next_step="use at most 40 letters, digits, dots, dashes and underscores")
    return name


def folders(root: Path | None, place: Scratch, stack_id: str) -> Folders:
    """Makes the root and takes it for this stack. None: a folder in the temporary directory. Raises StackFailed."""
    root = (root or place.root / f"stack-{stack_id}").absolute()
    made = not root.exists()
    try:
        root.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700, parents=True, exist_ok=True)
        if not made and not (root / _OURS).exists() and any(root.iterdir()):
            reason = f"{root} holds other things than a stack"
            raise StackFailed("stack", reason, next_step="choose a new or an empty folder with --folder")
        lock = os.open(root / _OURS, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        taken = Folders(root, made, lock)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(lock)
            reason = f"another stack is up in {root}"
            raise StackFailed("stack", reason, next_step="stop it, or choose another folder with --folder") from error
        for folder in (taken.logs, taken.mail, taken.identity):
            folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise from_os_error("stack", error, doing="making the folder of the stack") from error
    return taken
