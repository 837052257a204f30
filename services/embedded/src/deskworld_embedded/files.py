"""Files that are written whole or not at all, and read by their owner alone."""

import os
import shutil
from pathlib import Path


def write_private(path: Path, text: str) -> None:
    """Raises OSError; the file that was there before stays then."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(handle, "w") as file:
            file.write(text)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def last_words(path: Path, *, since: int = 0, lines: int = 3, longest: int = 600) -> str:
    """The last lines of a log that say something, joined; empty when there are none after the byte `since`."""
    try:
        with path.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(since, file.tell() - 16384))
            said = [line.strip() for line in file.read().decode(errors="replace").splitlines() if line.strip()]
    except OSError:
        return ""
    return " | ".join(said[-lines:])[-longest:]


def disk_is_full(folder: Path) -> bool:
    """A program that fails for this reason could not even write so into its log."""
    try:
        return shutil.disk_usage(folder).free < 256 * 1024
    except OSError:
        return False
