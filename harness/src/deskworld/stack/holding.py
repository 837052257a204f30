"""Who holds a port: why something cannot start there."""

import socket
from collections.abc import Mapping
from dataclasses import dataclass

import psutil


@dataclass(frozen=True, slots=True)
class Taken:
    door: str
    port: int
    by: str


def taken(ports: Mapping[str, int], host: str) -> tuple[Taken, ...]:
    """The ports on which somebody listens."""
    return tuple(Taken(door, port, _holder(port)) for door, port in ports.items() if _listens(host, port))


def _listens(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError:
        return False
    return True


def _holder(port: int) -> str:
    """The system tells it of one's own programs, and of everybody's only to root."""
    try:
        found = next(
            one.pid
            for one in psutil.net_connections("tcp")
            if one.status == psutil.CONN_LISTEN and one.laddr and one.laddr.port == port and one.pid is not None
        )
        return f"{psutil.Process(found).name()} (pid {found})"
    except (psutil.Error, StopIteration):
        return "another program"
