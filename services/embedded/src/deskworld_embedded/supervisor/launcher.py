"""Starts a part in the way that it asks for."""

import signal
import sys
from dataclasses import dataclass

from deskworld_embedded.errors import ended_early
from deskworld_embedded.supervisor.nursery import AVAILABLE, Nursery, NurseryEnded
from deskworld_embedded.supervisor.parts import Module, Part, Program
from deskworld_embedded.supervisor.processes import Processes, Running


@dataclass(frozen=True, slots=True)
class Launcher:
    processes: Processes
    nursery: Nursery

    async def start(self, part: Part) -> Running:
        """Raises OSError when it cannot be run, NurseryEnded."""
        if isinstance(part.run, Module) and AVAILABLE:
            return await self.nursery.fork(part, part.run)
        program = part.run if isinstance(part.run, Program) else Program((sys.executable, "-P", "-m", part.run.name))
        with part.log.open("ab") as log:
            return self.processes.start(
                program,
                environment=part.environment,
                folder=part.folder,
                output=log,
                orphan_signal=part.orphan_signal,
            )

    async def run_to_end(self, part: Part, *, doing: str) -> None:
        """Raises StackFailed with the part's last words when it does not end well; OSError."""
        since = part.log.stat().st_size if part.log.exists() else 0
        try:
            running = await self.start(part)
        except NurseryEnded as error:
            raise ended_early(part.name, f"{doing}: {error}", part.log, since=since) from error
        try:
            how = await running.ended
        finally:
            running.send(signal.SIGKILL)
        if how != "ended with status 0":
            raise ended_early(part.name, f"{doing} {how}", part.log, since=since)
