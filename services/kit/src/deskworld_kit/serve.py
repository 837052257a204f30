"""Several doors of one service in one process, each on its own address."""

import asyncio
import contextlib
import gc
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import uvicorn
from fastapi import FastAPI

from deskworld_kit.cutting import CuttingProtocol


@dataclass(frozen=True, slots=True)
class Bind:
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Listening:
    name: str
    app: FastAPI
    bind: Bind


class _Server(uvicorn.Server):
    """Leaves signals to `serve`, which stops all servers together."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def parse_bind(text: str) -> Bind:
    """`127.0.0.1:8101`, `[::1]:8101`. Raises ValueError."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65535:
        raise ValueError(f"{text!r} is not HOST:PORT")
    return Bind(host.strip("[]"), int(port))


def listening(name: str, app: FastAPI, binds: str) -> list[Listening]:
    """One door on each of the addresses of `HOST:PORT,HOST:PORT,…`. A host name stands for the address that it has on
    this machine, so that a door can be bound to one network of several. Raises ValueError."""
    return [Listening(name, app, parse_bind(bind.strip())) for bind in binds.split(",")]


async def serve(doors: Sequence[Listening]) -> None:
    """Runs until SIGTERM or SIGINT, then lets requests in flight end.

    An app's lifespan runs once per door: a resource shared by doors is opened by whoever calls this.
    """
    servers = [
        _Server(
            uvicorn.Config(
                door.app,
                host=door.bind.host,
                port=door.bind.port,
                log_level="warning",
                access_log=False,
                loop="none",
                http=CuttingProtocol,
                timeout_keep_alive=75,
                timeout_graceful_shutdown=3,
            )
        )
        for door in doors
    ]

    def stop() -> None:
        for server in servers:
            server.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    settle_memory()
    async with asyncio.TaskGroup() as group:
        for server in servers:
            group.create_task(_until_told(server, stop))


async def _until_told(server: uvicorn.Server, stop_all: Callable[[], None]) -> None:
    try:
        await server.serve()
    finally:
        stop_all()


def settle_memory() -> None:
    """Start-up objects live for ever: take them out of the collector's way, so that a request never pays for them."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 50)
