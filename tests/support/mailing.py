"""Clients of a mail server under test: what aiosmtplib and aioimaplib do, and raw SMTP for what they would mend."""

import asyncio
import itertools
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import aioimaplib
import aiosmtplib

from deskworld_kit.ids import new_id

WITHIN = 10.0

_numbers = itertools.count(1)
_SESSION = new_id().rpartition("-")[2]


def fresh(word: str) -> str:
    """A word that no other test uses, nor one of an earlier session on a stack that keeps its mail."""
    return f"{word}-{_SESSION}-{next(_numbers)}"


def letter(subject: str, body: str = "Kind regards.", **headers: str) -> bytes:
    lines = [f"Subject: {subject}", f"Message-ID: <{subject}@outside.example>"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join([*lines, "", body]) + "\r\n").encode()


@asynccontextmanager
async def smtp(stack: dict[str, Any], door: str = "smtp") -> AsyncIterator[aiosmtplib.SMTP]:
    client = aiosmtplib.SMTP(
        hostname=stack[door]["host"], port=stack[door]["port"], timeout=WITHIN, use_tls=False, start_tls=False
    )
    await client.connect()
    try:
        yield client
    finally:
        client.close()


async def send(stack: dict[str, Any], sender: str, recipients: Sequence[str], message: bytes) -> None:
    async with smtp(stack) as client:
        await client.sendmail(sender, list(recipients), message)


async def send_raw(stack: dict[str, Any], sender: str, recipient: str, data: bytes) -> int:
    """Hands over exactly these bytes as the text of DATA, dots stuffed; the server's final code."""
    reader, writer = await asyncio.open_connection(stack["smtp"]["host"], stack["smtp"]["port"])
    try:
        await _answer(reader)
        code = 0
        for line in (
            b"EHLO test.example",
            f"MAIL FROM:<{sender}>".encode(),
            f"RCPT TO:<{recipient}>".encode(),
            b"DATA",
        ):
            writer.write(line + b"\r\n")
            code = await _answer(reader)
        assert code == 354, code
        writer.write(re.sub(rb"(\A|\r\n)\.", rb"\1..", data) + b".\r\n")
        return await _answer(reader)
    finally:
        writer.close()
        await writer.wait_closed()


async def _answer(reader: asyncio.StreamReader) -> int:
    while True:
        line = await asyncio.wait_for(reader.readline(), WITHIN)
        assert line, "the server closed the connection"
        if line[3:4] != b"-":
            return int(line[:3])


class Mailbox:
    """One IMAP session with the inbox selected."""

    def __init__(self, client: aioimaplib.IMAP4, selected: Sequence[Any]) -> None:
        self.client = client
        self.selected = selected

    @property
    def uid_validity(self) -> int:
        return _number(self.selected, rb"UIDVALIDITY (\d+)")

    @property
    def uid_next(self) -> int:
        return _number(self.selected, rb"UIDNEXT (\d+)")

    @property
    def exists(self) -> int:
        return _number(self.selected, rb"^(\d+) EXISTS")

    async def search(self, *criteria: str) -> list[int]:
        answer = await self.client.uid_search(*criteria, charset=None)
        assert answer.result == "OK", answer
        return [int(number) for number in answer.lines[0].split()]

    async def find(self, subject: str) -> list[int]:
        return await self.search("HEADER", "Subject", f'"{subject}"')

    async def fetch(self, uid: int, what: str = "(BODY.PEEK[])") -> bytes:
        """The first literal of the answer."""
        answer = await self.client.uid("fetch", str(uid), what)
        assert answer.result == "OK", answer
        for line in answer.lines:
            if isinstance(line, bytearray):
                return bytes(line)
        return b""

    async def line(self, uid: int, what: str) -> bytes:
        answer = await self.client.uid("fetch", str(uid), what)
        assert answer.result == "OK", answer
        return b" ".join(bytes(line) for line in answer.lines[:-1])

    async def flags(self, uid: int) -> set[str]:
        found = re.search(rb"FLAGS \(([^)]*)\)", await self.line(uid, "(FLAGS)"))
        assert found, "no flags"
        return {flag.decode().lower() for flag in found[1].split()} - {"\\recent"}

    async def store(self, uid: int, how: str, flags: str) -> None:
        answer = await self.client.uid("store", str(uid), how, flags)
        assert answer.result == "OK", answer

    async def idle(self) -> Any:
        return await self.client.idle_start(timeout=60)

    async def pushed(self) -> list[bytes]:
        """The next push of the server while idle."""
        return [bytes(line) for line in await self.client.wait_server_push(timeout=WITHIN)]

    async def pushed_exists(self) -> int:
        """The newest count of messages that the next pushes tell."""
        for _ in range(10):
            counts = [int(found[1]) for line in await self.pushed() if (found := re.fullmatch(rb"(\d+) EXISTS", line))]
            if counts:
                return counts[-1]
        raise AssertionError("ten pushes and no EXISTS among them")

    async def done(self, idle: Any) -> None:
        self.client.idle_done()
        await asyncio.wait_for(idle, WITHIN)


@asynccontextmanager
async def mailbox(stack: dict[str, Any], login: str = "counterparties") -> AsyncIterator[Mailbox]:
    password = stack["secrets"]["counterparty_mailbox" if login == "counterparties" else f"{login}_mailbox"]
    client = aioimaplib.IMAP4(host=stack["imap"]["host"], port=stack["imap"]["port"], timeout=WITHIN)
    await client.wait_hello_from_server()
    assert (await client.login(login, password)).result == "OK"
    answer = await client.select("INBOX")
    assert answer.result == "OK", answer
    try:
        yield Mailbox(client, answer.lines)
    finally:
        # also of a test that failed in the middle of IDLE nothing may stay open
        if client.has_pending_idle():
            client.idle_done()
        try:
            await client.logout()
        finally:
            protocol: Any = client.protocol
            protocol.transport.close()


def _number(lines: Sequence[Any], pattern: bytes) -> int:
    for line in lines:
        if found := re.search(pattern, bytes(line)):
            return int(found[1])
    raise AssertionError(f"{pattern!r} is not in {lines}")
