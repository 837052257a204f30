"""The one way in which the embedded stack fails to come up."""

import errno
import os
from pathlib import Path

from deskworld_embedded.files import disk_is_full, last_words


class StackFailed(Exception):
    """A part of the stack could not be brought up: which, why, and what a person can do about it."""

    def __init__(self, part: str, reason: str, *, next_step: str) -> None:
        super().__init__(f"{part}: {reason}")
        self.part = part
        self.reason = reason
        self.next_step = next_step


FREE_SPACE = "free some disk space, or choose another place with --folder or TMPDIR"


def from_os_error(part: str, error: OSError, *, doing: str) -> StackFailed:
    """The operating system's refusal in words, with the step that usually helps."""
    where = f" {error.filename}" if error.filename else ""
    reason = f"{doing}{where}: {error.strerror or error}"
    return StackFailed(part, reason, next_step=_next_steps.get(error.errno or 0, "see the logs of the stack"))


_next_steps = {
    errno.ENOSPC: FREE_SPACE,
    errno.EDQUOT: FREE_SPACE,
    errno.EACCES: "choose a folder that you can write with --folder (or TMPDIR), or change its permissions",
    errno.EPERM: "choose a folder that you can write with --folder (or TMPDIR), or change its permissions",
    errno.EROFS: "choose a folder on a disk that can be written with --folder or TMPDIR",
    errno.ENOTDIR: "choose a folder, not a file, with --folder",
    errno.ENOENT: "check that the path exists",
    errno.EMFILE: "raise the limit of open files (ulimit -n)",
    errno.ENFILE: "the machine has no file handles left: end something else first",
    errno.EAGAIN: "the machine cannot start another process now: raise ulimit -u or end something else",
    errno.ENOMEM: "the machine has no memory left: end something else first",
}


def ended_early(part: str, reason: str, log: Path, *, since: int = 0) -> StackFailed:
    """A program that ended when it should not: its last words, and a disk that is full where it could not say so."""
    words = last_words(log, since=since)
    if words:
        reason += f": {words}"
    next_step = f"read {log}"
    if disk_is_full(log.parent):
        reason += f"; no space left on the disk of {log.parent}"
        next_step = FREE_SPACE
    elif os.strerror(errno.ENOSPC) in words:
        next_step = FREE_SPACE
    return StackFailed(part, reason, next_step=next_step)
