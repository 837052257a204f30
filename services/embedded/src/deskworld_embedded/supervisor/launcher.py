"""Starts a part in the way that it asks for."""

import errno
import signal
import sys
from dataclasses import dataclass

from deskworld_embedded.errors import StackFailed, ended_early, from_os_error
from deskworld_embedded.supervisor.nursery import AVAILABLE, Nursery, NurseryEnded
from deskworld_embedded.supervisor.parts import Module, Part, Program
from deskworld_embedded.supervisor.processes import Processes, Running

_NOT_RUNNABLE = {errno.ENOEXEC, errno.EACCES, errno.ENOENT}


@dataclass(frozen=True, slots=True)
class Launcher:
    processes: Processes
    nursery: Nursery

    async def start(self, part: Part) -> Running:
        """Raises StackFailed when it cannot be run, NurseryEnded."""
        if isinstance(part.run, Module) and AVAILABLE:
            return await self.nursery.fork(part, part.run)
        program = part.run if isinstance(part.run, Program) else Program((sys.executable, "-P", "-m", part.run.name))
        try:
            with part.log.open("ab") as log:
                return self.processes.start(
                    program,
                    environment=part.environment,
                    folder=part.folder,
                    output=log,
                    orphan_signal=part.orphan_signal,
                )
        except OSError as error:
            if error.errno in _NOT_RUNNABLE and error.filename == program.argv[0]:
                reason = f"{program.argv[0]} cannot be run: {error.strerror}"
                next_step = "install the package that it belongs to again, for this machine's platform"
                raise StackFailed(part.name, reason, next_step=next_step) from error
            raise from_os_error(part.name, error, doing="starting") from error

    async def run_to_end(self, part: Part, *, doing: str) -> None:
        """Raises StackFailed with the part's last words when it does not end well."""
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
