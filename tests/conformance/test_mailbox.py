"""IMAP as the desk and the harness use it: told at once, numbered for good, flags kept."""

import asyncio
import re
from contextlib import AsyncExitStack
from typing import Any

import aioimaplib
import pytest
from tests.support.mailing import WITHIN, fresh, letter, mailbox, send

VENDOR = "ap@v-40.vendors.deskworld.example"


async def test_a_wrong_password_opens_no_mailbox(stack: dict[str, Any]) -> None:
    for login in ("counterparties", "nobody"):
        client = aioimaplib.IMAP4(host=stack["imap"]["host"], port=stack["imap"]["port"], timeout=WITHIN)
        await client.wait_hello_from_server()
        assert (await client.login(login, "wrong")).result == "NO"
        await client.logout()


async def test_everybody_who_idles_is_told_of_new_mail(stack: dict[str, Any]) -> None:
    async with AsyncExitStack() as sessions:
        boxes = [await sessions.enter_async_context(mailbox(stack)) for _ in range(3)]
        idles = [await box.idle() for box in boxes]
        await send(stack, "a@outside.example", [VENDOR], letter(fresh("idle")))
        assert len({await box.pushed_exists() for box in boxes}) == 1
        for box, idle in zip(boxes, idles, strict=True):
            await box.done(idle)


async def test_mail_that_came_between_two_commands_is_told_when_idle_begins(stack: dict[str, Any]) -> None:
    async with mailbox(stack) as box:
        before = box.exists
        await send(stack, "a@outside.example", [VENDOR], letter(fresh("between")))
        idle = await box.idle()
        assert await box.pushed_exists() > before
        await box.done(idle)


async def test_no_push_is_lost_in_a_burst(stack: dict[str, Any]) -> None:
    async with mailbox(stack) as box:
        before = box.exists
        idle = await box.idle()
        subject = fresh("burst")
        await asyncio.gather(*(send(stack, "a@outside.example", [VENDOR], letter(f"{subject}.{n}")) for n in range(20)))
        while await box.pushed_exists() < before + 20:
            pass
        await box.done(idle)
        assert len(await box.find(f"{subject}.")) == 20


async def test_a_uid_is_never_given_twice(stack: dict[str, Any]) -> None:
    subject = fresh("uid")
    await send(stack, "a@outside.example", [VENDOR], letter(subject))
    async with mailbox(stack) as box:
        (first,) = await box.find(subject)
        await box.store(first, "+FLAGS", "(\\Deleted)")
        assert (await box.client.expunge()).result == "OK"
        assert await box.find(subject) == []
    await send(stack, "a@outside.example", [VENDOR], letter(subject))
    async with mailbox(stack) as later:
        (second,) = await later.find(subject)
        assert second > first
        assert later.uid_validity == box.uid_validity
        assert later.uid_next > second


async def test_an_expunge_is_told_to_the_others(stack: dict[str, Any]) -> None:
    subject = fresh("expunged")
    await send(stack, "a@outside.example", [VENDOR], letter(subject))
    async with mailbox(stack) as one, mailbox(stack) as other:
        (uid,) = await one.find(subject)
        await one.store(uid, "+FLAGS", "(\\Deleted)")
        await one.client.expunge()
        lines = (await other.client.noop()).lines
        assert any(re.search(rb"\d+ EXPUNGE", bytes(line)) for line in lines), lines
        assert await other.find(subject) == []


async def test_flags_are_seen_by_the_next_session(stack: dict[str, Any]) -> None:
    subject = fresh("flags")
    await send(stack, "a@outside.example", [VENDOR], letter(subject))
    async with mailbox(stack) as box:
        (uid,) = await box.find(subject)
        assert await box.flags(uid) == set()
        await box.store(uid, "+FLAGS", "(\\Answered \\Flagged)")
        await box.store(uid, "-FLAGS", "(\\Flagged)")
    async with mailbox(stack) as box:
        assert await box.flags(uid) == {"\\answered"}
        assert uid in await box.search("ANSWERED")
        await box.store(uid, "FLAGS", "(\\Seen)")
        assert await box.flags(uid) == {"\\seen"}


async def test_keywords_are_kept_too(stack: dict[str, Any]) -> None:
    subject = fresh("keyword")
    await send(stack, "a@outside.example", [VENDOR], letter(subject))
    async with mailbox(stack) as box:
        (uid,) = await box.find(subject)
        await box.store(uid, "+FLAGS", "($forwarded)")
    async with mailbox(stack) as box:
        assert await box.flags(uid) == {"$forwarded"}


async def test_looking_does_not_mark_as_seen_and_reading_does(stack: dict[str, Any]) -> None:
    subject = fresh("seen")
    await send(stack, "a@outside.example", [VENDOR], letter(subject))
    async with mailbox(stack) as box:
        (uid,) = await box.find(subject)
        await box.fetch(uid, "(BODY.PEEK[])")
        assert await box.flags(uid) == set()
        assert uid in await box.search("UNSEEN")
        await box.fetch(uid, "(BODY[])")
        assert await box.flags(uid) == {"\\seen"}


async def test_a_message_can_be_had_in_parts(stack: dict[str, Any]) -> None:
    subject = fresh("parts")
    message = letter(subject, "one\r\ntwo", From="Vendor <ap@v-40.vendors.deskworld.example>")
    await send(stack, "a@outside.example", [VENDOR], message)
    async with mailbox(stack) as box:
        (uid,) = await box.find(subject)
        whole = await box.fetch(uid)
        assert f"RFC822.SIZE {len(whole)}".encode() in await box.line(uid, "(RFC822.SIZE)")
        assert await box.fetch(uid, "(BODY.PEEK[TEXT])") == b"one\r\ntwo\r\n"
        assert (await box.fetch(uid, "(BODY.PEEK[HEADER])")) + b"one\r\ntwo\r\n" == whole
        assert await box.fetch(uid, "(BODY.PEEK[]<5.7>)") == whole[5:12]
        wanted = await box.fetch(uid, "(BODY.PEEK[HEADER.FIELDS (SUBJECT)])")
        assert wanted == f"Subject: {subject}\r\n\r\n".encode()
        line = await box.line(uid, "(ENVELOPE INTERNALDATE)")
        assert subject.encode() in line
        assert b'"ap" "v-40.vendors.deskworld.example"' in line


async def test_a_message_is_found_by_its_message_id(stack: dict[str, Any]) -> None:
    subject = fresh("by-id")
    await send(stack, "a@outside.example", [VENDOR], letter(subject))
    async with mailbox(stack) as box:
        assert await box.search("HEADER", "Message-ID", f'"<{subject}@outside.example>"') == await box.find(subject)


async def test_a_command_that_makes_no_sense_does_not_end_the_session(stack: dict[str, Any]) -> None:
    async with mailbox(stack) as box:
        answer = await box.client.uid("fetch", "1", "(NONSENSE)")
        assert answer.result in ("BAD", "NO")
        assert (await box.client.noop()).result == "OK"


async def test_counterparties_do_not_read_the_desks_mail(stack: dict[str, Any]) -> None:
    subject = fresh("for-the-desk")
    await send(stack, "a@outside.example", ["ap@deskworld.example"], letter(subject))
    async with mailbox(stack) as box:
        assert await box.find(subject) == []
    if "desk_mailbox" not in stack["secrets"]:
        pytest.skip("this stack keeps the desk's mail password to itself")
    async with mailbox(stack, "desk") as desk:
        assert len(await desk.find(subject)) == 1
