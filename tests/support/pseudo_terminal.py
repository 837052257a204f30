"""A program at a terminal of its own, as somebody who sits there reads and types."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from deskworld_kit import clock

SECONDS = 60.0
TAKES_THE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""
"""So that Ctrl-C at this terminal reaches the program."""


class Screen:
    """`shown`: everything until now. Each `reads` begins where the last one found what it looked for."""

    def __init__(self, process: subprocess.Popen[bytes], terminal: int) -> None:
        self.process = process
        self.shown = ""
        self._terminal = terminal
        self._seen = 0

    def reads(self, pattern: str, *, within: float = SECONDS) -> re.Match[str]:
        until = clock.monotonic() + within
        while True:
            found = re.compile(pattern, re.MULTILINE).search(self.shown, self._seen)
            if found:
                self._seen = found.end()
                return found
            left = until - clock.monotonic()
            assert left > 0, f"awaited {pattern!r} for {within} s; the screen: {self.shown}"
            assert self._more(left), f"ended without {pattern!r}; the screen: {self.shown}"

    def types(self, line: str) -> None:
        os.write(self._terminal, f"{line}\n".encode())

    def presses_ctrl_c(self) -> None:
        """The terminal makes a signal of it."""
        os.write(self._terminal, b"\x03")

    def ends(self, *, within: float = SECONDS) -> int:
        until = clock.monotonic() + within
        while self._more(until - clock.monotonic()):
            assert clock.monotonic() < until, f"did not end within {within} s; the screen: {self.shown}"
        return self.process.wait(max(until - clock.monotonic(), 1))

    def _more(self, within: float) -> bool:
        """False where nobody holds the other end any more, which a terminal says with EIO."""
        ready, _, _ = select.select([self._terminal], [], [], max(within, 0))
        try:
            found = os.read(self._terminal, 65536) if ready else None
        except OSError:
            return False
        self.shown += (found or b"").decode(errors="replace").replace("\r\n", "\n")
        return found != b""


@contextmanager
def screen(command: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> Iterator[Screen]:
    """A wide one. The program is killed where it has not ended by itself."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", TAKES_THE_TERMINAL, *command],
        cwd=cwd,
        env={**env, "COLUMNS": "300", "TERM": "xterm"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield Screen(process, ours)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait(10)
        os.close(ours)
