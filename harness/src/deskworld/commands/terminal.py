"""A person at a terminal, or a pipe in their place: lines out, made harmless, and lines in."""

import asyncio
import os
import sys
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from rich.console import Console

from deskworld.report.plain import plain

AT_ONCE = 65536


class Lines:
    """The lines of a file descriptor, read on the loop: no thread is left waiting for Enter when a command is ended."""

    def __init__(self, descriptor: int | None = None) -> None:
        self._descriptor = descriptor
        self._ready: deque[str] = deque()
        self._rest = b""

    async def __call__(self) -> str:
        """With its end of line; empty where the input has ended."""
        descriptor = sys.stdin.fileno() if self._descriptor is None else self._descriptor
        while not self._ready:
            await _readable(descriptor)
            found = _read(descriptor)
            *whole, self._rest = (self._rest + found).split(b"\n")
            self._ready.extend(f"{line.decode(errors='replace')}\n" for line in whole)
            if not found and not self._ready:
                last, self._rest = self._rest, b""
                return last.decode(errors="replace")
        return self._ready.popleft()


async def _readable(descriptor: int) -> None:
    loop = asyncio.get_running_loop()
    there = asyncio.Event()
    try:
        loop.add_reader(descriptor, there.set)
    except PermissionError:
        # a file on a disk is never waited for
        return
    try:
        await there.wait()
    finally:
        loop.remove_reader(descriptor)


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, AT_ONCE)
    except OSError:
        # a terminal that went away says so with EIO
        return b""


@dataclass(slots=True)
class Terminal:
    out: Console
    read: Callable[[], Awaitable[str]] = field(default_factory=Lines)

    def say(self, text: str) -> None:
        for line in text.split("\n"):
            self.out.print(plain(line), markup=False, highlight=False, soft_wrap=True)

    async def ask(self, question: str) -> str | None:
        """None where the input has ended."""
        self.say(question)
        line = await self.read()
        return line.strip() if line else None
