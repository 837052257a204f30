"""Ports that stay this stack's own from before its parts start until it ends.

A reserved port is held by a bound socket that never listens. Linux lets a part bind and listen beside it, because both
sides set SO_REUSEADDR, while it gives the port to nobody who asks for any free one. So a part that was killed gets the
same port again. Where sockets cannot share an address in this way, the port is let go again before its part starts.
"""

import errno
import socket
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from deskworld_embedded.errors import StackFailed, from_os_error

LOOPBACK = "127.0.0.1"
_CAN_HOLD = sys.platform == "linux"


@dataclass(frozen=True, slots=True)
class Ports:
    numbers: Mapping[str, int]
    _held: tuple[socket.socket, ...]

    def bind(self, door: str) -> str:
        return f"{LOOPBACK}:{self.numbers[door]}"

    def url(self, door: str) -> str:
        return f"http://{self.bind(door)}"

    def release(self) -> None:
        for held in self._held:
            held.close()


def reserve(doors: Iterable[str], *, base: int | None = None) -> Ports:
    """One port per door: free ones, or `base`, `base + 1` … in the order given. Raises StackFailed."""
    numbers: dict[str, int] = {}
    held: list[socket.socket] = []
    try:
        for place, door in enumerate(doors):
            keeper = _bound(door, 0 if base is None else base + place)
            held.append(keeper)
            numbers[door] = keeper.getsockname()[1]
    except StackFailed:
        for keeper in held:
            keeper.close()
        raise
    if not _CAN_HOLD:
        for keeper in held:
            keeper.close()
    return Ports(numbers, tuple(held))


def _bound(door: str, port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise StackFailed(door, f"port {port} does not exist", next_step="choose a --port-base between 1024 and 65000")
    keeper = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        keeper.bind((LOOPBACK, port))
    except OSError as error:
        keeper.close()
        if error.errno == errno.EADDRINUSE and port:
            reason = f"port {port} on {LOOPBACK} is taken by another program"
            raise StackFailed(door, reason, next_step="leave out --port-base, or choose one with free ports") from error
        if error.errno == errno.EADDRINUSE:
            reason = f"no free port on {LOOPBACK}"
            raise StackFailed(door, reason, next_step="end programs that hold many connections, then again") from error
        if error.errno == errno.EACCES:
            reason = f"port {port} may only be used by root"
            raise StackFailed(door, reason, next_step="choose a --port-base of 1024 or more") from error
        raise from_os_error(door, error, doing=f"reserving port {port}") from error
    return keeper
