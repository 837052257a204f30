"""Programs started so that none of them outlives this process, and their ends as awaitable facts."""

import asyncio
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from deskworld_embedded.supervisor.parts import Program
from deskworld_kit import clock

_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15
NAME_PREFIX = "dw-"
_LINUX = sys.platform == "linux"
_libc = ctypes.CDLL(None, use_errno=True) if _LINUX else None


@dataclass(frozen=True, slots=True)
class Running:
    """A started process. `ended` answers how it ended, in words."""

    pid: int
    ended: asyncio.Future[str]

    def send(self, number: signal.Signals) -> None:
        """Nothing happens when it has ended."""
        if not self.ended.done():
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                return

    async def end_within(self, seconds: float) -> bool:
        done, _ = await asyncio.wait([self.ended], timeout=seconds)
        return bool(done)


def die_with_parent(parent: int, number: signal.Signals) -> None:
    """In the child, after it changed its user: the kernel forgets the wish when that changes. Linux only; elsewhere
    it does nothing."""
    if _libc is None:
        return
    _libc.prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)
    if os.getppid() != parent:  # it died before the wish was heard
        os.kill(os.getpid(), signal.SIGKILL)


def in_words(status: int) -> str:
    """A return code as subprocess gives it."""
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by signal {-status}"


@dataclass(frozen=True, slots=True)
class _Child:
    process: subprocess.Popen[bytes]
    ended: asyncio.Future[str]
    orphan_signal: signal.Signals


class Processes:
    """Starts programs and reaps them when the kernel says that a child has ended.

    There is no thread in this process, so that running Python between fork and exec is safe.
    """

    def __init__(self, *, with_warden: bool = not _LINUX) -> None:
        self._with_warden = with_warden
        self._warden: subprocess.Popen[bytes] | None = None
        self._children: dict[int, _Child] = {}

    def attach(self) -> None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGCHLD, self._reap)

    def start(
        self,
        program: Program,
        *,
        environment: Mapping[str, str],
        folder: Path,
        output: IO[bytes] | int,
        orphan_signal: signal.Signals = signal.SIGKILL,
        pass_fds: Sequence[int] = (),
    ) -> Running:
        """Raises OSError when the program cannot be run."""
        user = program.user
        child = subprocess.Popen(  # noqa: S603 - programs of our own list
            list(program.argv),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=dict(environment),
            cwd=folder,
            user=user.uid if user else None,
            group=user.gid if user else None,
            extra_groups=[] if user else None,
            start_new_session=True,
            pass_fds=pass_fds,
            preexec_fn=_wish(os.getpid(), orphan_signal),  # noqa: PLW1509 - there are no threads here
        )
        ended = asyncio.get_running_loop().create_future()
        self._children[child.pid] = _Child(child, ended, orphan_signal)
        self._tell_warden(f"+{child.pid} {int(orphan_signal)}")
        return Running(child.pid, ended)

    def _reap(self) -> None:
        for pid, child in list(self._children.items()):
            status = child.process.poll()
            if status is not None:
                del self._children[pid]
                self._tell_warden(f"-{pid}")
                if not child.ended.done():
                    child.ended.set_result(in_words(status))

    def _tell_warden(self, line: str) -> None:
        if not self._with_warden:
            return
        if self._warden is None or self._warden.poll() is not None:
            command = (sys.executable, "-m", "deskworld_embedded.supervisor.warden")
            self._warden = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)  # noqa: S603 - ours
            line = "\n".join(f"+{pid} {int(child.orphan_signal)}" for pid, child in self._children.items())
        assert self._warden.stdin is not None  # noqa: S101 - asked for above
        self._warden.stdin.write(line.encode() + b"\n")
        self._warden.stdin.flush()


def _wish(parent: int, number: signal.Signals) -> Callable[[], None]:
    def wish() -> None:
        die_with_parent(parent, number)

    return wish


async def gone(pid: int) -> None:
    """Returns when no process has this id any more, or it is only waiting to be reaped; it need not be our child."""
    if not _LINUX:
        await _gone_elsewhere(pid)
        return
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()
    loop.add_reader(handle, _set, ended)
    try:
        await ended
    finally:
        loop.remove_reader(handle)
        os.close(handle)


def _set(ended: asyncio.Future[None]) -> None:
    if not ended.done():
        ended.set_result(None)


async def _gone_elsewhere(pid: int) -> None:
    while True:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        except PermissionError:
            pass  # it is there, and another user's
        await clock.pause(0.02)


def name_process(name: str) -> None:
    """What ps and top show. Linux only; elsewhere it does nothing."""
    if _libc is not None:
        _libc.prctl(_PR_SET_NAME, f"{NAME_PREFIX}{name}".encode()[:15], 0, 0, 0)
