"""The submission port: a login, and only its own addresses as sender."""

from typing import Any

import aiosmtplib
import pytest
from tests.support.mailing import fresh, letter, mailbox, smtp


@pytest.fixture
def desk_password(stack: dict[str, Any]) -> str:
    known = stack["secrets"].get("desk_mailbox")
    if known is None:
        pytest.skip("this stack keeps the desk's mail password to itself")
    return str(known)


async def test_the_desk_writes_to_a_vendor(stack: dict[str, Any], desk_password: str) -> None:
    subject = fresh("desk-writes")
    message = letter(subject, From="ap@deskworld.example")
    async with smtp(stack, "submission") as client:
        await client.login("desk", desk_password)
        await client.sendmail("ap@deskworld.example", ["ap@v-20.vendors.deskworld.example"], message)
    async with mailbox(stack) as box:
        (uid,) = await box.find(subject)
        assert b"Return-Path: <ap@deskworld.example>" in await box.fetch(uid)


async def test_nobody_submits_without_a_login(stack: dict[str, Any]) -> None:
    async with smtp(stack, "submission") as client:
        with pytest.raises(aiosmtplib.SMTPResponseException) as refused:
            await client.sendmail(
                "ap@deskworld.example", ["x@v-21.vendors.deskworld.example"], letter(fresh("no-login"))
            )
    assert refused.value.code // 100 == 5


@pytest.mark.parametrize("login", ["desk", "nobody"])
async def test_a_wrong_password_does_not_log_in(stack: dict[str, Any], login: str) -> None:
    async with smtp(stack, "submission") as client:
        with pytest.raises(aiosmtplib.SMTPAuthenticationError) as refused:
            await client.login(login, "wrong")
        assert refused.value.code in (454, 535)
        with pytest.raises(aiosmtplib.SMTPResponseException):
            await client.mail("ap@deskworld.example")


@pytest.mark.parametrize(
    "sender", ["ceo@outside.example", "anna.keller@staff.deskworld.example", "ap@v-1.vendors.deskworld.example"]
)
async def test_the_desk_sends_from_its_own_domain_only(stack: dict[str, Any], desk_password: str, sender: str) -> None:
    subject = fresh("not-my-name")
    async with smtp(stack, "submission") as client:
        await client.login("desk", desk_password)
        with pytest.raises(aiosmtplib.SMTPException):
            await client.sendmail(sender, ["x@v-22.vendors.deskworld.example"], letter(subject))
    async with mailbox(stack) as box:
        assert await box.find(subject) == []


async def test_a_letter_to_another_world_is_refused(stack: dict[str, Any], desk_password: str) -> None:
    async with smtp(stack, "submission") as client:
        await client.login("desk", desk_password)
        with pytest.raises(aiosmtplib.SMTPRecipientsRefused) as refused:
            await client.sendmail("ap@deskworld.example", ["someone@example.com"], letter(fresh("away")))
    assert refused.value.recipients[0].code // 100 == 5
