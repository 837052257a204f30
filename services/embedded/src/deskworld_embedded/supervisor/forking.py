"""The nursery's process: imports once what the services share, then forks each service off.

Importing the web framework and the ORM takes most of a service's start and most of its memory; forked services share
both. Nothing is called here, only imported: no thread, no event loop and no random state exists before a fork.
"""

import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from deskworld_embedded.supervisor.processes import die_with_parent, in_words, name_process

_PRELOAD: Mapping[str, tuple[str, ...]] = {
    "web": (
        "uvloop",
        "httptools",
        "starlette.applications",
        "starlette.middleware",
        "starlette.routing",
        "uvicorn",
        "uvicorn.protocols.http.httptools_impl",
        "uvicorn.lifespan.off",
        "jwt",
        "cryptography.hazmat.primitives.asymmetric.rsa",
    ),
    "services": (
        "asyncpg",
        "sqlalchemy.ext.asyncio",
        "sqlalchemy.dialects.postgresql.asyncpg",
        "fastapi",
        "fastapi.openapi.utils",
        "pydantic_settings",
        "structlog",
        "aiohttp",
        "httpx",
        "uvicorn.lifespan.on",
        "deskworld_kit.chain",
        "deskworld_kit.clock",
        "deskworld_kit.database",
        "deskworld_kit.health",
        "deskworld_kit.http",
        "deskworld_kit.identity",
        "deskworld_kit.ids",
        "deskworld_kit.money",
        "deskworld_kit.problems",
        "deskworld_kit.serve",
        "deskworld_kit.settings",
        "deskworld_kit.stage",
        "deskworld_kit.telemetry.logs",
        "deskworld_kit.webhooks",
    ),
}


@dataclass(slots=True)
class Forker:
    channel: socket.socket
    _imported: set[str] = field(default_factory=lambda: {"nothing"})
    _waiting: list[dict[str, Any]] = field(default_factory=list)
    _unread: bytes = b""
    _wake: tuple[int, int] = (-1, -1)

    def serve(self) -> dict[str, Any]:
        """Returns in forked children only, with what the child is to run. Exits when the supervisor is gone."""
        self._wake = os.pipe()
        os.set_blocking(self._wake[1], False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        signal.set_wakeup_fd(self._wake[1], warn_on_full_buffer=False)
        for stage, modules in _PRELOAD.items():
            for module in modules:
                _preload(module)
                if born := self._attend(wait=False):
                    return born
            self._imported.add(stage)
        wait = False
        while True:
            if born := self._attend(wait=wait):
                return born
            wait = True

    def _attend(self, *, wait: bool) -> dict[str, Any] | None:
        ready, _, _ = select.select([self.channel.fileno(), self._wake[0]], [], [], None if wait else 0)
        if self._wake[0] in ready:
            os.read(self._wake[0], 4096)
            self._report_ends()
        if self.channel.fileno() in ready:
            self._read_requests()
        for request in [request for request in self._waiting if request["needs"] in self._imported]:
            self._waiting.remove(request)
            if born := self._fork(request):
                return born
        return None

    def _read_requests(self) -> None:
        received = self.channel.recv(1 << 16)
        if not received:
            raise SystemExit(0)
        *lines, self._unread = (self._unread + received).split(b"\n")
        self._waiting.extend(json.loads(line) for line in lines)

    def _fork(self, request: dict[str, Any]) -> dict[str, Any] | None:
        gc.freeze()
        parent = os.getpid()
        pid = os.fork()
        if pid:
            self._answer({"id": request["id"], "pid": pid})
            return None
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self.channel.close()
        for handle in self._wake:
            os.close(handle)
        os.setsid()
        die_with_parent(parent, signal.SIGKILL)
        return request

    def _report_ends(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self._answer({"pid": pid, "ended": in_words(os.waitstatus_to_exitcode(status))})

    def _answer(self, message: dict[str, Any]) -> None:
        self.channel.sendall(json.dumps(message).encode() + b"\n")


def _preload(module: str) -> None:
    try:
        importlib.import_module(module)
    except ImportError as error:
        # The service that needs it will say so itself, in its own log.
        sys.stderr.write(f"not preloaded: {module}: {error}\n")


def _become(request: dict[str, Any]) -> None:
    name_process(request["part"])
    log = os.open(request["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    sys.argv = [request["module"]]
    gc.enable()
    runpy.run_module(request["module"], run_name="__main__", alter_sys=True)


def main() -> None:
    gc.disable()  # what is imported stays; looking for garbage in it costs a tenth of the time
    name_process("nursery")
    forker = Forker(socket.socket(fileno=int(sys.argv[1])))
    _become(forker.serve())


if __name__ == "__main__":
    main()
