"""A client that costs little: what is measured is the service, not the asking. HTTP/1.1 on connections that stay."""

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: bytes


class Connection:
    """One connection, one request at a time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str) -> None:
        self._reader = reader
        self._writer = writer
        self._host = host

    @classmethod
    async def to(cls, address: str) -> Self:
        where = urlsplit(address)
        reader, writer = await asyncio.open_connection(where.hostname, where.port)
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return cls(reader, writer, where.netloc)

    async def ask(self, method: str, path: str, *, headers: str = "", body: bytes = b"") -> Answer:
        """`headers`: whole lines, each with its line end."""
        length = f"content-length: {len(body)}\r\n" if body else ""
        self._writer.write(f"{method} {path} HTTP/1.1\r\nhost: {self._host}\r\n{headers}{length}\r\n".encode() + body)
        head = await self._reader.readuntil(b"\r\n\r\n")
        lines = head.lower().split(b"\r\n")
        size = next((int(line[15:]) for line in lines if line.startswith(b"content-length:")), 0)
        return Answer(int(lines[0].split()[1]), await self._reader.readexactly(size) if size else b"")

    async def close(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()


@dataclass(frozen=True, slots=True)
class Load:
    """What many clients at once measured; seconds."""

    wall: float
    each: Sequence[float]

    @property
    def rate(self) -> float:
        return len(self.each) / self.wall

    def at(self, share: float) -> float:
        return sorted(self.each)[min(len(self.each) - 1, int(share * len(self.each)))]


async def load(clients: Sequence[Callable[[], Awaitable[None]]], times: int) -> Load:
    """Each client asks `times` times, one after the other; all at once."""
    each: list[float] = []

    async def one(ask: Callable[[], Awaitable[None]]) -> None:
        for _ in range(times):
            began = time.perf_counter()
            await ask()
            each.append(time.perf_counter() - began)

    began = time.perf_counter()
    await asyncio.gather(*(one(ask) for ask in clients))
    return Load(time.perf_counter() - began, each)
