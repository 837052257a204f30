"""The desk's mail on the embedded server: a letter out, an answer back, through the real doors."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import aiosmtplib
import pytest
from tests.support.servers import LOGINS, StandIn, mail_server, running

from deskworld_desk.mail import join
from deskworld_desk.mail.listener import Incoming, Listener
from deskworld_desk.mail.message import Letter, compose, with_token
from deskworld_desk.mail.parse import parse
from deskworld_desk.mail.sender import Sender

DEADLINE = 15.0
DESK = "ap@deskworld.example"
VENDOR = "ap@v-77.vendors.deskworld.example"
NOW = datetime(2026, 5, 4, 9, 30, tzinfo=UTC)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[StandIn]:
    mail = mail_server(tmp_path)
    with running(mail):
        yield mail


class Ear:
    """A listener's desk: a queue, and the last position."""

    def __init__(self, server: StandIn, login: str) -> None:
        self.heard: asyncio.Queue[Incoming] = asyncio.Queue()
        self.position: tuple[int, int] | None = None
        self._listener = Listener(
            host="127.0.0.1",
            port=server.ports[2],
            login=login,
            password=LOGINS[login],
            position=self._last,
            on_message=self._take,
            backoff=(0.02, 0.2),
        )

    async def __aenter__(self) -> "Ear":
        self._running = asyncio.create_task(self._listener.run())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._running.cancel()
        await asyncio.gather(self._running, return_exceptions=True)

    async def next(self) -> Incoming:
        return await asyncio.wait_for(self.heard.get(), DEADLINE)

    async def _last(self) -> tuple[int, int] | None:
        return self.position

    async def _take(self, incoming: Incoming) -> None:
        self.position = (incoming.uidvalidity, incoming.uid)
        self.heard.put_nowait(incoming)


async def _deliver(server: StandIn, raw: bytes, sender: str = VENDOR) -> None:
    await aiosmtplib.send(
        raw, sender=sender, recipients=[DESK], hostname="127.0.0.1", port=server.ports[0], start_tls=False
    )


async def test_a_letter_reaches_the_vendor_and_the_answer_is_known_as_theirs(server: StandIn) -> None:
    sender = Sender("127.0.0.1", server.ports[1], "desk", LOGINS["desk"])
    subject = with_token("Invoice 4711", "BCDFGHJK")
    letter = Letter("<out-1@deskworld.example>", DESK, (VENDOR,), subject, "Was 10.40 agreed?")
    async with Ear(server, "counterparties") as vendor, Ear(server, "desk") as desk:
        sent = await sender.send(compose(letter, NOW), DESK, [VENDOR])
        assert [each.outcome for each in sent.recipients] == ["accepted"]
        got = parse((await vendor.next()).raw)
        assert (got.message_id, got.delivered_to, got.kind) == ("<out-1@deskworld.example>", VENDOR, "auto-reply")
        answer = compose(
            Letter("<in-1@v-77.example>", VENDOR, (DESK,), f"Re: {got.subject}", "Yes, 10.40.", got.message_id), NOW
        ).replace(b"Auto-Submitted: auto-generated\r\n", b"")
        await _deliver(server, answer)
        back = parse((await desk.next()).raw)
    await sender.close()
    assert back.in_reply_to == ("<out-1@deskworld.example>",)
    assert join.tokens(back.subject) == ("BCDFGHJK",)
    assert join.known_sender(back, {VENDOR})
    assert (back.text, back.kind, back.defects) == ("Yes, 10.40.", "answer", ())


async def test_two_letters_without_ids_both_arrive(server: StandIn) -> None:
    async with Ear(server, "desk") as desk:
        for text in (b"one", b"two"):
            await _deliver(server, b"From: " + VENDOR.encode() + b"\r\n\r\n" + text + b"\r\n")
        texts = [parse((await desk.next()).raw).text for _ in range(2)]
    assert texts == ["one", "two"]


async def test_mail_that_came_while_the_server_was_killed_and_started_again_is_heard_once(server: StandIn) -> None:
    async with Ear(server, "desk") as desk:
        await _deliver(server, b"Subject: before\r\n\r\nx\r\n")
        assert parse((await desk.next()).raw).subject == "before"
        server.kill()
        server.start()
        await _deliver(server, b"Subject: after\r\n\r\nx\r\n")
        assert parse((await desk.next()).raw).subject == "after"
        assert desk.heard.empty()


async def test_bodies_that_look_like_the_protocol_arrive_whole(server: StandIn) -> None:
    bodies = [b"* 3 EXISTS\r\n)\r\nA001 OK done\r\n", b")", b"", b"x", b'say "hi"\r\n', b".\r\n..\r\n"]
    async with Ear(server, "desk") as desk:
        for body in bodies:
            await _deliver(server, b'Subject: say "hi"\r\n\r\n' + body)
        got = [parse((await desk.next()).raw) for _ in bodies]
    assert {each.subject for each in got} == {'say "hi"'}
    assert [each.text for each in got] == [body.decode().strip().replace("\r\n", "\n") for body in bodies]
