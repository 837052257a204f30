"""Where services are forked off: the supervisor's side of `forking`."""

import asyncio
import itertools
import json
import os
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deskworld_embedded.supervisor.parts import Module, Part, Program
from deskworld_embedded.supervisor.processes import Processes, Running, gone

AVAILABLE = sys.platform == "linux"


class NurseryEnded(Exception):
    """The nursery died before it had started the service."""


class Nursery:
    """Started by the first service that is asked for, and again after it died. Its services die with it."""

    def __init__(self, processes: Processes, *, log: Path, environment: Mapping[str, str]) -> None:
        self._processes = processes
        self._log = log
        self._environment = environment
        self._numbers = itertools.count(1)
        self._starting = asyncio.Lock()
        self._process: Running | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._asked: dict[int, asyncio.Future[Running]] = {}
        self._services: dict[int, Running] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process and not self._process.ended.done() else None

    async def start(self) -> None:
        """Nothing happens when it runs already."""
        async with self._starting:
            if self.pid is not None:
                return
            ours, theirs = socket.socketpair()
            with theirs, self._log.open("ab") as log:
                self._process = self._processes.start(
                    Program(
                        (sys.executable, "-P", "-m", "deskworld_embedded.supervisor.forking", str(theirs.fileno()))
                    ),
                    environment=self._environment,
                    folder=self._log.parent,
                    output=log,
                    pass_fds=(theirs.fileno(),),
                )
            reader, self._writer = await asyncio.open_unix_connection(sock=ours)
            self._in_background(self._listen(reader, self._process))

    async def fork(self, part: Part, module: Module) -> Running:
        """Raises NurseryEnded."""
        await self.start()
        assert self._writer is not None  # noqa: S101 - start() has just made it
        number = next(self._numbers)
        born: asyncio.Future[Running] = asyncio.get_running_loop().create_future()
        self._asked[number] = born
        request = {
            "id": number,
            "part": part.name,
            "module": module.name,
            "needs": module.needs,
            "environment": dict(part.environment),
            "folder": str(part.folder),
            "log": str(part.log),
        }
        try:
            self._writer.write(json.dumps(request).encode() + b"\n")
            return await born
        finally:
            self._asked.pop(number, None)

    async def end(self) -> None:
        """Its services are expected to have ended."""
        if self._writer is not None:
            self._writer.close()
        if self._process is not None and not await self._process.end_within(2):
            os.kill(self._process.pid, 9)
            await self._process.ended
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=2)

    async def _listen(self, reader: asyncio.StreamReader, process: Running) -> None:
        try:
            while line := await reader.readline():
                self._heard(json.loads(line))
        except (ConnectionError, ValueError):
            pass  # cut off in the middle of a line: it died
        how = await process.ended
        for born in list(self._asked.values()):
            if not born.done():
                born.set_exception(NurseryEnded(f"the nursery {how}"))
        orphans, self._services = self._services, {}
        for service in orphans.values():
            await gone(service.pid)
            if not service.ended.done():
                service.ended.set_result("was ended because the nursery " + how)

    def _heard(self, message: dict[str, Any]) -> None:
        pid = message["pid"]
        if "ended" in message:
            service = self._services.pop(pid, None)
            if service is not None and not service.ended.done():
                service.ended.set_result(message["ended"])
            return
        service = self._services[pid] = Running(pid, asyncio.get_running_loop().create_future())
        born = self._asked.get(message["id"])
        if born is not None and not born.done():
            born.set_result(service)

    def _in_background(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
