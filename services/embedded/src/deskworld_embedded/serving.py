"""Serving HTTP until told to end. Apart from `listening`, because the mail server need not load any of it."""

import asyncio
import contextlib
from collections.abc import Iterator

import uvicorn
from starlette.types import ASGIApp

from deskworld_embedded.listening import Address, settle_memory


class _Server(uvicorn.Server):
    """Leaves signals to `until_told`."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve_http(app: ASGIApp, at: Address, told: asyncio.Event) -> None:
    """Serves until told to end; requests in flight get three seconds. Raises OSError when the address is taken."""
    server = _Server(
        uvicorn.Config(
            app,
            host=at.host,
            port=at.port,
            log_level="warning",
            access_log=False,
            loop="none",
            http="httptools",
            ws="none",
            lifespan="off",
            server_header=False,
            timeout_keep_alive=75,
            timeout_graceful_shutdown=3,
        )
    )

    async def stop() -> None:
        await told.wait()
        server.should_exit = True

    settle_memory()
    stopping = asyncio.create_task(stop())
    try:
        await server.serve()
    except SystemExit as error:  # uvicorn's way of saying that it could not listen
        raise OSError(f"cannot listen on {at.host}:{at.port}") from error
    finally:
        stopping.cancel()
