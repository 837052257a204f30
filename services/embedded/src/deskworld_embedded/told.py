"""How a stack learns that it is to end: a signal, or the end of its standard input when its starter is gone."""

import asyncio
import os
import signal
import stat
from collections.abc import Callable

from deskworld_embedded.errors import StackFailed

_STDIN = 0


def told_to_end(*, watch_stdin: bool) -> asyncio.Event:
    """Raises StackFailed when the standard input cannot say when its other end is gone."""
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, told.set)
    if watch_stdin:
        _check_stdin()
        loop.add_reader(_STDIN, _read_stdin, told.set)
    return told


def _check_stdin() -> None:
    try:
        mode = os.fstat(_STDIN).st_mode
    except OSError:
        mode = 0
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(_STDIN)):
        reason = "the stack ends with its standard input, but that is not a pipe, a socket or a terminal"
        raise StackFailed("stack", reason, next_step="give it a pipe, or use --keep to end it by a signal")


def _read_stdin(end: Callable[[], None]) -> None:
    try:
        received = os.read(_STDIN, 4096)
    except BlockingIOError:
        return
    except OSError:
        received = b""  # the terminal hung up
    if not received:
        asyncio.get_running_loop().remove_reader(_STDIN)
        end()
