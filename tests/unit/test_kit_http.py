"""A door at which nobody listens is tried again; what was sent is not sent twice."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable

import httpx
import pytest

from deskworld_kit.http import AT_ONCE, client

ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok"


class Door:
    """Listens at a port that was shut until then, and keeps what came."""

    def __init__(self, port: int, answer: bytes = ANSWER) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.came: list[bytes] = []
        self._port, self._answer = port, answer
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._port)

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.came.append(await reader.readuntil(b"hello"))
        writer.write(self._answer)
        writer.close()


@pytest.fixture
async def door() -> AsyncIterator[Callable[..., Door]]:
    made: list[Door] = []

    def shut(**how: bytes) -> Door:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        made.append(Door(port, **how))
        return made[-1]

    yield shut
    for one in made:
        await one.close()


async def test_a_request_waits_for_a_door_that_opens_and_is_sent_once(door: Callable[..., Door]) -> None:
    shut = door()
    async with client(base_url=shut.url, knocking=30.0) as http:
        asking = asyncio.create_task(http.post("/commands", content=b"hello"))
        asyncio.get_running_loop().call_later(0.2, lambda: asyncio.ensure_future(shut.open()))
        assert (await asyncio.wait_for(asking, 20)).text == "ok"
    assert len(shut.came) == 1


@pytest.mark.parametrize(("knocking", "extensions"), [(0.0, {}), (30.0, AT_ONCE), (0.1, {})])
async def test_a_door_that_stays_shut_fails_in_its_time(
    door: Callable[..., Door], knocking: float, extensions: dict[str, float]
) -> None:
    async with client(base_url=door().url, knocking=knocking) as http:
        with pytest.raises(httpx.ConnectError, match="nobody listens"):
            await asyncio.wait_for(http.get("/health", extensions=extensions), 20)


async def test_a_connection_that_breaks_after_the_request_was_sent_is_the_callers_to_judge(
    door: Callable[..., Door],
) -> None:
    breaking = door(answer=b"")
    await breaking.open()
    async with client(base_url=breaking.url, knocking=30.0) as http:
        with pytest.raises(httpx.RemoteProtocolError, match="broke"):
            await asyncio.wait_for(http.post("/commands", content=b"hello"), 20)
    assert len(breaking.came) == 1
