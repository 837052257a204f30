"""Questions that a part answers when it is ready to work. The answer None means ready; else, what was seen instead."""

import asyncio
from dataclasses import dataclass
from typing import Protocol

_LONGEST_ANSWER = 65536


class Probe(Protocol):
    async def ask(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Greeting:
    """A server that speaks first, as SMTP (RFC 5321, 3.1) and IMAP (RFC 9051, 7.1.1) do."""

    host: str
    port: int
    begins: bytes

    async def ask(self) -> str | None:
        try:
            reader, writer = await asyncio.open_connection(self.host, self.port)
        except OSError as error:
            return f"{self.host}:{self.port}: {error.strerror or error}"
        try:
            line = await reader.readline()
        except OSError as error:
            return f"{self.host}:{self.port}: {error.strerror or error}"
        finally:
            writer.close()
        return None if line.startswith(self.begins) else f"{self.host}:{self.port} greeted with {line[:80]!r}"


@dataclass(frozen=True, slots=True)
class Health:
    """`GET path` is answered with 200."""

    host: str
    port: int
    path: str = "/health"

    async def ask(self) -> str | None:
        where = f"http://{self.host}:{self.port}{self.path}"
        try:
            reader, writer = await asyncio.open_connection(self.host, self.port)
        except OSError as error:
            return f"{where}: {error.strerror or error}"
        try:
            head = f"GET {self.path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\nConnection: close\r\n\r\n"
            writer.write(head.encode())
            answer = await reader.read(_LONGEST_ANSWER)
        except OSError as error:
            return f"{where}: {error.strerror or error}"
        finally:
            writer.close()
        status, _, rest = answer.partition(b"\r\n")
        if status.split(b" ")[1:2] == [b"200"]:
            return None
        body = rest.partition(b"\r\n\r\n")[2]
        return f"{where} answered {status.decode(errors='replace')} {body[:300].decode(errors='replace')}".rstrip()


@dataclass(frozen=True, slots=True)
class Accepts:
    """Somebody listens there."""

    host: str
    port: int

    async def ask(self) -> str | None:
        try:
            _, writer = await asyncio.open_connection(self.host, self.port)
        except OSError as error:
            return f"{self.host}:{self.port}: {error.strerror or error}"
        writer.close()
        return None
