"""The desk runs on uvloop, which speaks of a lost line in other words than asyncio does."""

import asyncio
import random
from datetime import UTC, datetime

import uvloop
from tests.support.mail import DEADLINE, PASSWORD, scripted_imap
from tests.support.mail_office import Office, peer

from deskworld_desk.mail.listener import Incoming, Listener
from deskworld_desk.mail.message import Letter, compose

DESK, VENDOR = "ap@deskworld.example", "ap@v-1.vendors.deskworld.example"


async def test_a_line_cut_while_idling_is_made_again() -> None:
    async def scenario() -> list[int]:
        heard: asyncio.Queue[Incoming] = asyncio.Queue()
        last: list[tuple[int, int]] = []

        async def position() -> tuple[int, int] | None:
            return last[-1] if last else None

        async def take(incoming: Incoming) -> None:
            last.append((incoming.uidvalidity, incoming.uid))
            heard.put_nowait(incoming)

        async with scripted_imap() as server:
            listener = Listener(
                host="127.0.0.1",
                port=server.port,
                login="desk",
                password=PASSWORD,
                position=position,
                on_message=take,
                backoff=(0.01, 0.05),
                rng=random.Random(1),
            )
            running = asyncio.create_task(listener.run())
            uids = []
            for times in (1, 2, 3):
                await server.idled(times)
                server.add(b"x" * 500_000)
                uids.append((await asyncio.wait_for(heard.get(), DEADLINE)).uid)
                server.hang_up()
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            return uids

    assert await asyncio.to_thread(uvloop.run, scenario()) == [1, 2, 3]


async def test_a_letter_goes_out_over_a_connection_made_anew() -> None:
    raw = compose(Letter("<1@deskworld.example>", DESK, (VENDOR,), "Subject", "Body"), datetime(2026, 5, 4, tzinfo=UTC))

    async def scenario() -> int:
        office = Office()
        async with peer(office) as (sender, _):
            for _ in range(3):
                await sender.send(raw, DESK, [VENDOR])
                assert sender._client is not None
                assert sender._client.transport is not None
                sender._client.transport.abort()  # type: ignore[attr-defined]
        return len(office.taken)

    assert await asyncio.to_thread(uvloop.run, scenario()) == 3
