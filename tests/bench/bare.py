"""The floor under every figure: a FastAPI route that does nothing, asked over a socket, on this machine, now."""

import asyncio
import socket
import statistics
import sys
import time
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
from tests.bench.ground import Ground
from tests.bench.result import Result

from deskworld_kit.http import client

REQUESTS = 2_000
IN_FLIGHT = 16


async def route(ground: Ground) -> list[Result]:
    async with served() as address, client(base_url=address) as http:
        await ask(http, 200)
        alone = [await timed(http) for _ in range(REQUESTS // 4)]
        began = time.monotonic()
        cpu = time.process_time()
        await asyncio.gather(*(ask(http, REQUESTS // IN_FLIGHT) for _ in range(IN_FLIGHT)))
        wall, cpu = time.monotonic() - began, time.process_time() - cpu
    one = statistics.median(alone)
    results = [
        Result("bare route alone, p50", round(1000 * one, 2), "ms"),
        Result(f"bare route, {IN_FLIGHT} in flight", round(REQUESTS / wall), "requests a second"),
        Result("HTTP client, CPU", round(1000 * cpu / REQUESTS, 2), "ms a request"),
    ]
    rules = next(
        (played for flags, played in ground.played.items() if "price-variance-small --parallel 1" in flags), None
    )
    if rules is not None:
        ratio = rules.seconds("price-variance-small")["p50"] / one
        results.append(Result("rules case, in bare requests", round(ratio), "×"))
    return results


@asynccontextmanager
async def served() -> AsyncIterator[str]:
    """A bare application in a process of its own, on a socket that listens already."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        number = listening.fileno()
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.bench.bare", str(number), pass_fds=[number], stderr=PIPE
        )
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            process.terminate()
            await process.communicate()


async def ask(http: httpx.AsyncClient, times: int) -> None:
    for _ in range(times):
        (await http.get("/")).raise_for_status()


async def timed(http: httpx.AsyncClient) -> float:
    began = time.perf_counter()
    await ask(http, 1)
    return time.perf_counter() - began


def main(number: int) -> None:
    import uvicorn  # noqa: PLC0415 - the measuring process needs neither
    from fastapi import FastAPI  # noqa: PLC0415

    app = FastAPI()

    @app.get("/")
    async def nothing() -> dict[str, str]:
        return {"status": "ok"}

    config = uvicorn.Config(
        app, access_log=False, log_level="warning", loop="uvloop", http="httptools", timeout_keep_alive=75
    )
    # not uvicorn's own `fd`: it takes the socket for a Unix one, leaves Nagle's algorithm on and answers 40 ms late
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=number)])


if __name__ == "__main__":
    main(int(sys.argv[1]))
