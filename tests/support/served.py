"""A door of a service on a socket, in this process, as the service itself puts it there."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from fastapi import FastAPI

from deskworld_kit.cutting import CuttingProtocol


@asynccontextmanager
async def served(app: FastAPI, *, port: int = 0) -> AsyncIterator[str]:
    """Gives its address."""
    config = uvicorn.Config(app, log_level="warning", access_log=False, loop="none", http=CuttingProtocol)
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", port)) as listening:
        running = asyncio.create_task(server._serve([listening]))
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            await running
