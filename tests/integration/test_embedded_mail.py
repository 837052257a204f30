"""The mail server under `kill -9` and on a full disk: what was answered for is kept, once."""

import asyncio
from pathlib import Path
from typing import Any

import aiosmtplib
import psutil
import pytest
from tests.support.mailing import letter, mailbox, send, smtp
from tests.support.servers import (
    LOGINS,
    StandIn,
    mail_doors,
    mail_server,
    running,
)

from deskworld_kit import clock

VENDOR = "ap@v-90.vendors.deskworld.example"


def doors(server: StandIn) -> dict[str, Any]:
    secrets = {"counterparty_mailbox": LOGINS["counterparties"], "desk_mailbox": LOGINS["desk"]}
    return {**mail_doors(server), "secrets": secrets}


async def test_mail_that_was_accepted_survives_the_death_of_the_server(tmp_path: Path) -> None:
    server = mail_server(tmp_path)
    with running(server):
        stack = doors(server)
        for number in range(10):
            await send(stack, "a@outside.example", [VENDOR, "x@outside.example"], letter(f"kept.{number}", "x" * 5000))
        async with mailbox(stack) as box:
            before = await box.find("kept.")
            texts = {uid: await box.fetch(uid) for uid in before}
            await box.store(before[3], "+FLAGS", "(\\Answered $read)")
            await box.store(before[4], "+FLAGS", "(\\Deleted)")
            await box.client.expunge()
            assert (await box.client.create("Done")).result == "OK"
            assert (await box.client.uid("copy", str(before[5]), "Done")).result == "OK"
        server.kill()
        server.start()
        async with mailbox(stack) as after:
            assert after.uid_validity == box.uid_validity
            assert await after.find("kept.") == [uid for uid in before if uid != before[4]]
            for uid in await after.find("kept."):
                assert await after.fetch(uid) == texts[uid]
            assert await after.flags(before[3]) == {"\\answered", "$read"}
            assert after.uid_next == before[-1] + 1
            assert (await after.client.select("Done")).result == "OK"
            assert await after.fetch(1) == texts[before[5]]


@pytest.mark.slow
async def test_nothing_is_lost_or_doubled_when_the_server_dies_under_load(tmp_path: Path) -> None:
    server = mail_server(tmp_path)
    accepted: set[str] = set()
    tried = 0

    async def pump(worker: int) -> None:
        nonlocal tried
        async with smtp(stack) as client:
            for number in range(1000):
                subject = f"load.{worker}.{number}.end"
                tried += 1
                try:
                    await client.sendmail("a@outside.example", [VENDOR], letter(subject, "y" * 2000))
                except (aiosmtplib.SMTPException, OSError):
                    return
                accepted.add(subject)

    with running(server):
        stack = doors(server)
        for round_ in range(3):
            enough = len(accepted) + 150
            pumps = [asyncio.create_task(pump(round_ * 10 + worker)) for worker in range(4)]
            deadline = clock.monotonic() + 20
            while len(accepted) < enough and clock.monotonic() < deadline:
                await clock.pause(0.005)
            server.kill()
            await asyncio.gather(*pumps)
            assert len(accepted) >= enough
            server.start()
        async with mailbox(stack) as box:
            uids = await box.search("ALL")
            heads = [await box.fetch(uid, "(BODY.PEEK[HEADER.FIELDS (SUBJECT)])") for uid in uids]
    found = [head.decode().removeprefix("Subject: ").strip() for head in heads]
    assert len(found) == len(set(found)), "a message was kept twice"
    assert accepted <= set(found), "an accepted message is gone"
    assert len(set(found) - accepted) <= tried - len(accepted)
    assert uids == sorted(set(uids))


async def test_a_message_that_was_cut_off_by_the_death_of_the_server_is_not_there(tmp_path: Path) -> None:
    server = mail_server(tmp_path)
    with running(server):
        stack = doors(server)
        await send(stack, "a@outside.example", [VENDOR], letter("whole"))
        server.kill()
        journal = tmp_path / "mail" / "mail.journal"
        with journal.open("ab") as file:
            file.write(b'["store",{"to":[[1,2,0]],"at":1,"flags":[]},1000]\nonly the beginning')
        server.start()
        await send(stack, "a@outside.example", [VENDOR], letter("after"))
        async with mailbox(stack) as box:
            assert len(await box.find("whole")) == len(await box.find("after")) == 1
            assert box.exists == 2
        server.kill()
        server.start()
        async with mailbox(stack) as box:
            assert box.exists == 2


async def test_mail_that_the_disk_does_not_take_is_refused_for_now(tmp_path: Path) -> None:
    """A file size limit stands in for a full disk: both fail the write."""
    server = mail_server(tmp_path)
    with running(server):
        stack = doors(server)
        await send(stack, "a@outside.example", [VENDOR], letter("before"))
        process = psutil.Process(server.pid)
        size = (tmp_path / "mail" / "mail.journal").stat().st_size
        process.rlimit(psutil.RLIMIT_FSIZE, (size + 500, psutil.RLIM_INFINITY))
        async with smtp(stack) as client:
            with pytest.raises(aiosmtplib.SMTPDataError) as refused:
                await client.sendmail("a@outside.example", [VENDOR], letter("no-room", "z" * 4000))
            assert refused.value.code == 452
        process.rlimit(psutil.RLIMIT_FSIZE, (psutil.RLIM_INFINITY, psutil.RLIM_INFINITY))
        await send(stack, "a@outside.example", [VENDOR], letter("room-again"))
        server.kill()
        server.start()
        async with mailbox(stack) as box:
            assert await box.find("no-room") == []
            assert len(await box.find("before")) == len(await box.find("room-again")) == 1
