"""The counterparties' mailbox against a server that tells of mail as real servers have been seen to do."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.support.mail import DEADLINE, PASSWORD, ScriptedImap, scripted_imap

from deskworld.doors import mailbox
from deskworld.values.stack import Address

LETTER = b"From: a@x.example\r\nSubject: s\r\n\r\nbody\r\n"


@pytest.fixture
async def server() -> AsyncIterator[ScriptedImap]:
    async with scripted_imap() as peer:
        yield peer


class Heard:
    def __init__(self) -> None:
        self.messages: list[bytes] = []
        self._came = asyncio.Event()

    def take(self, raw: bytes) -> None:
        self.messages.append(raw)
        self._came.set()

    async def until(self, count: int) -> None:
        try:
            async with asyncio.timeout(DEADLINE):
                while len(self.messages) < count:
                    self._came.clear()
                    await self._came.wait()
        except TimeoutError:
            raise AssertionError(f"waited {DEADLINE} s for {count} messages, got {len(self.messages)}") from None


@asynccontextmanager
async def watched(
    server: ScriptedImap, heard: Heard, *, idle_seconds: float = mailbox.IDLE_SECONDS
) -> AsyncIterator[asyncio.Task[None]]:
    opened = asyncio.Event()
    box = mailbox.Mailbox(
        Address(host="127.0.0.1", port=server.port),
        "counterparties",
        PASSWORD,
        on_message=heard.take,
        idle_seconds=idle_seconds,
    )
    session = asyncio.create_task(box.session(opened.set))
    await asyncio.wait_for(opened.wait(), DEADLINE)
    try:
        yield session
    finally:
        session.cancel()
        await asyncio.wait([session])


async def test_what_was_there_before_is_history_and_what_comes_is_read_once_in_order(server: ScriptedImap) -> None:
    heard = Heard()
    server.add(b"old")
    async with watched(server, heard):
        for number in range(5):
            server.add(b"new %d" % number)
        await heard.until(5)
    assert heard.messages == [b"new %d" % number for number in range(5)]


async def test_mail_that_comes_just_before_idle_begins_is_read_although_it_is_never_told_of(
    server: ScriptedImap,
) -> None:
    heard = Heard()

    def meanwhile() -> None:
        server.add(LETTER, tell=False)

    async with watched(server, heard, idle_seconds=1.5):
        server.script.before_idle = meanwhile
        await heard.until(1)
        assert server.idles == 2


async def test_mail_that_comes_after_a_server_said_it_idles_and_before_it_does_is_read_soon(
    server: ScriptedImap,
) -> None:
    heard = Heard()
    async with watched(server, heard):
        await server.until(lambda: server.noops == 1, "the first look")
        server.add(LETTER, tell=False)
        await heard.until(1)
    assert server.idles == 1


async def test_mail_that_is_told_of_before_it_can_be_found_is_looked_for_until_it_is_there(
    server: ScriptedImap,
) -> None:
    heard = Heard()
    async with watched(server, heard):
        await server.until(lambda: server.noops >= 2, "the look after IDLE has settled")
        server.push(b"* 1 EXISTS")
        await server.until(lambda: server.noops >= 5, "looks that found nothing")
        server.add(LETTER, tell=False)
        await heard.until(1)


async def test_mail_that_the_hand_may_not_fetch_before_it_asked_for_news_is_not_lost(server: ScriptedImap) -> None:
    heard = Heard()
    server.script.hides_untold = True

    def meanwhile() -> None:
        server.add(b"second")

    async with watched(server, heard):
        await server.until(lambda: server.noops >= 2, "the look after IDLE has settled")
        server.script.before_look = meanwhile
        server.add(b"first")
        await heard.until(2)
    assert heard.messages == [b"first", b"second"]


async def test_a_quiet_mailbox_is_not_asked(server: ScriptedImap) -> None:
    """One look when IDLE begins and one when it has settled; after that the server speaks first."""
    heard = Heard()
    async with watched(server, heard):
        await server.until(lambda: server.noops >= 2, "the look after IDLE has settled")
        for _ in range(3):
            server.add(LETTER)
            await heard.until(len(heard.messages) + 1)
        assert server.noops <= 2 + 2 * 3


async def test_a_line_that_is_cut_ends_the_session_at_once(server: ScriptedImap) -> None:
    async with watched(server, Heard()) as session:
        server.hang_up()
        done, _ = await asyncio.wait([session], timeout=DEADLINE)
        assert done
        assert isinstance(session.exception(), mailbox.LOST)
