"""The one way in which the embedded stack fails to come up."""

import errno


class StackFailed(Exception):
    """A part of the stack could not be brought up: which, why, and what a person can do about it."""

    def __init__(self, part: str, reason: str, *, next_step: str) -> None:
        super().__init__(f"{part}: {reason}")
        self.part = part
        self.reason = reason
        self.next_step = next_step


def from_os_error(part: str, error: OSError, *, doing: str) -> StackFailed:
    """The operating system's refusal in words, with the step that usually helps."""
    where = f" {error.filename}" if error.filename else ""
    reason = f"{doing}{where}: {error.strerror or error}"
    return StackFailed(part, reason, next_step=_next_steps.get(error.errno or 0, "see the logs of the stack"))


_next_steps = {
    errno.ENOSPC: "free some disk space, or choose another place with --folder or TMPDIR",
    errno.EDQUOT: "free some of your disk quota, or choose another place with --folder or TMPDIR",
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
