"""SMTP as counterparties use it: no login, the world's domains only, an answer for each recipient."""

from typing import Any

import aiosmtplib
import pytest
from tests.support.mailing import fresh, letter, mailbox, send, send_raw, smtp


async def test_a_vendor_and_an_outsider_get_mail_at_any_address(stack: dict[str, Any]) -> None:
    subject = fresh("any-address")
    addresses = [f"{fresh('ap')}@v-77.vendors.deskworld.example", f"{fresh('who')}@look-alike.outside.example"]
    await send(stack, "ap@deskworld.example", addresses, letter(subject))
    async with mailbox(stack) as box:
        found = await box.find(subject)
        assert len(found) == 2
        for uid, address in zip(found, addresses, strict=True):
            assert f"Delivered-To: {address}".encode() in await box.fetch(uid)


async def test_nothing_leaves_the_world(stack: dict[str, Any]) -> None:
    for stranger in (
        "a@example.com",
        "a@vendors.deskworld.example.com",
        "a@evilvendors.deskworld.example",
        "a@localhost",
    ):
        with pytest.raises(aiosmtplib.SMTPRecipientsRefused) as refused:
            await send(stack, "a@v-1.vendors.deskworld.example", [stranger], letter(fresh("away")))
        assert refused.value.recipients[0].code == 550


async def test_each_recipient_has_an_answer_of_its_own(stack: dict[str, Any]) -> None:
    subject = fresh("own-answer")
    here = f"{fresh('x')}@v-2.vendors.deskworld.example"
    async with smtp(stack) as client:
        refused, _ = await client.sendmail("ap@deskworld.example", [here, "b@nowhere.example"], letter(subject))
    assert set(refused) == {"b@nowhere.example"}
    assert refused["b@nowhere.example"][0] == 550
    async with mailbox(stack) as box:
        assert len(await box.find(subject)) == 1


async def test_the_envelope_says_who_gets_it_not_the_header(stack: dict[str, Any]) -> None:
    subject = fresh("envelope")
    real = f"{fresh('real')}@v-3.vendors.deskworld.example"
    message = letter(subject, To="shown@v-4.vendors.deskworld.example", From="Shown <shown@outside.example>")
    await send(stack, "real-sender@deskworld.example", [real], message)
    async with mailbox(stack) as box:
        (uid,) = await box.find(subject)
        kept = await box.fetch(uid)
    head, _, sent = kept.partition(b"Subject:")
    assert f"Delivered-To: {real}".encode() in head
    assert b"Return-Path: <real-sender@deskworld.example>" in head
    assert b"Subject:" + sent == message


async def test_a_bounce_comes_from_nobody(stack: dict[str, Any]) -> None:
    subject = fresh("bounce")
    await send(stack, "", ["x@v-5.vendors.deskworld.example"], letter(subject))
    async with mailbox(stack) as box:
        (uid,) = await box.find(subject)
        assert b"Return-Path: <>" in await box.fetch(uid)


async def test_a_message_above_the_limit_is_refused_and_the_session_goes_on(stack: dict[str, Any]) -> None:
    subject = fresh("after-too-much")
    recipient = "x@v-6.vendors.deskworld.example"
    async with smtp(stack) as client:
        await client.ehlo()
        limit = int(client.esmtp_extensions["size"])
        assert 20 * 1024 * 1024 <= limit <= 40 * 1024 * 1024
        with pytest.raises(aiosmtplib.SMTPResponseException) as refused:
            await client.mail("ap@deskworld.example", options=[f"SIZE={limit + 1}"])
        assert refused.value.code == 552
        await client.rset()
        await client.sendmail("ap@deskworld.example", [recipient], letter(subject))
    async with mailbox(stack) as box:
        assert len(await box.find(subject)) == 1


@pytest.mark.slow
async def test_a_message_that_lies_about_its_size_is_refused_after_its_end(stack: dict[str, Any]) -> None:
    data = b"Subject: too much\r\n\r\n" + b"0123456789abcdef" * 64 + b"\r\n"
    data += (b"x" * 998 + b"\r\n") * (41 * 1024)
    assert await send_raw(stack, "a@outside.example", "x@v-7.vendors.deskworld.example", data) in (552, 554)


async def test_a_person_with_an_accent_in_the_address_gets_mail(stack: dict[str, Any]) -> None:
    subject = fresh("accents")
    async with smtp(stack) as client:
        await client.ehlo()
        assert client.supports_extension("smtputf8")
        await client.mail("renée@outside.example", options=["SMTPUTF8", "BODY=8BITMIME"], encoding="utf-8")
        await client.rcpt("jürgen@v-8.vendors.deskworld.example", encoding="utf-8")
        await client.data(f"Subject: {subject}\r\nX-Said: Größe\r\n\r\nfür Sie\r\n".encode())
    async with mailbox(stack) as box:
        (uid,) = await box.find(subject)
        kept = await box.fetch(uid)
    assert "Delivered-To: jürgen@v-8.vendors.deskworld.example".encode() in kept
    assert "X-Said: Größe\r\n\r\nfür Sie\r\n".encode() in kept


async def test_a_dot_on_a_line_of_its_own_ends_a_message_only_between_proper_line_ends(stack: dict[str, Any]) -> None:
    """SMTP smuggling: what one server takes for the end of a message and another does not."""
    subject, second = fresh("outer"), fresh("smuggled")
    inner = f"\n.\nMAIL FROM:<ceo@deskworld.example>\nRCPT TO:<x@outside.example>\nDATA\nSubject: {second}\n\nhi\n"
    data = f"Subject: {subject}\r\n\r\nhello{inner}\r\n".encode()
    code = await send_raw(stack, "a@outside.example", "x@v-9.vendors.deskworld.example", data)
    async with mailbox(stack) as box:
        assert await box.find(second) == []
        assert len(await box.find(subject)) == (1 if code == 250 else 0)


async def test_lines_that_begin_with_dots_arrive_as_they_were(stack: dict[str, Any]) -> None:
    subject = fresh("dots")
    message = letter(subject, ".\r\n..\r\n.hidden\r\nend")
    await send(stack, "a@outside.example", ["x@v-10.vendors.deskworld.example"], message)
    async with mailbox(stack) as box:
        (uid,) = await box.find(subject)
        assert (await box.fetch(uid)).endswith(message)


async def test_a_recipient_without_a_sender_is_out_of_order(stack: dict[str, Any]) -> None:
    async with smtp(stack) as client:
        await client.ehlo()
        with pytest.raises(aiosmtplib.SMTPResponseException) as refused:
            await client.rcpt("x@v-11.vendors.deskworld.example")
        assert refused.value.code // 100 == 5
        assert (await client.noop()).code == 250
