"""What the supervisor needs to know about a part. A stack is a list of these."""

import signal
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from deskworld_embedded.supervisor.probes import Probe


@dataclass(frozen=True, slots=True)
class User:
    """Another user to run a program as, when we are root."""

    name: str
    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class Program:
    """A program of its own."""

    argv: Sequence[str]
    user: User | None = None


@dataclass(frozen=True, slots=True)
class Module:
    """A Python module run as `python -m` does, by a process forked off the nursery once it has imported `needs`."""

    name: str
    needs: str


async def _nothing() -> None:
    return


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    run: Program | Module
    log: Path
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    probes: Sequence[Probe] = ()
    after: frozenset[str] = frozenset()
    prepare: Callable[[], Awaitable[None]] = _nothing
    """Before every start."""
    settle: Callable[[], Awaitable[None]] = _nothing
    """After every start, once the probes are content; others who wait for this part wait for this too."""
    stop_signal: signal.Signals = signal.SIGTERM
    orphan_signal: signal.Signals = signal.SIGKILL
    """What the kernel sends it when the supervisor dies."""
