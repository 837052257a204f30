"""The realm is waited for, and told from another."""

import asyncio
from email import message_from_bytes
from pathlib import Path

import pytest
from tests.support.little_doors import stack_file
from tests.support.servers import LOOPBACK, identity_server, issuer_of, running

from deskworld.doors import realm
from deskworld.doors.identity import People
from deskworld.doors.mail import envelope_recipient
from deskworld.errors import DoorFailed
from deskworld.values.stack import Stack


def stack(issuer: str) -> Stack:
    return Stack.model_validate(stack_file(issuer=issuer))


async def test_a_realm_that_comes_late_is_waited_for(tmp_path: Path) -> None:
    server = identity_server(tmp_path)
    waiting = asyncio.create_task(realm.awaited(stack(issuer_of(server)), within=20))
    started = running(server)
    await asyncio.to_thread(started.__enter__)
    try:
        assert (await waiting)["issuer"] == issuer_of(server)
        people = People(stack(issuer_of(server)))
        await people.open(within=20)
        assert realm.claims(await people.token("anna.keller"))["preferred_username"] == "anna.keller"
        assert set(people.subjects) == {"anna.keller"}
        await people.close()
    finally:
        started.__exit__(None, None, None)


async def test_a_realm_that_never_comes_is_told_with_what_was_seen_last() -> None:
    nowhere = Stack.model_validate(stack_file())
    with pytest.raises(DoorFailed) as ended:
        await realm.awaited(nowhere, within=0.3)
    assert f"awaited the realm at {nowhere.issuer} for 0.3 s; last seen: Can't connect to server" in ended.value.what


async def test_an_issuer_without_the_realm_is_told_with_its_answer(tmp_path: Path) -> None:
    server = identity_server(tmp_path)
    with running(server):
        other = stack(issuer_of(server).replace("/realms/deskworld", "/realms/other"))
        with pytest.raises(DoorFailed, match=r"awaited the realm at .*/realms/other for 1 s; last seen: 404"):
            await realm.awaited(other, within=1)


async def test_identity_is_not_asked_through_a_proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://{LOOPBACK}:9")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    server = identity_server(tmp_path)
    with running(server):
        assert (await realm.awaited(stack(issuer_of(server)), within=20))["issuer"] == issuer_of(server)


@pytest.mark.parametrize(
    ("head", "recipient"),
    [
        (
            b"Delivered-To: <AP@v-1.vendors.deskworld.example>\nTo: x@x.example\n",
            "ap@v-1.vendors.deskworld.example",
        ),
        (
            b"Delivered-To: counterparties@mailbox.invalid\nX-Envelope-To: ap@v-1.vendors.deskworld.example\n"
            b"Delivered-To: ap@v-1.vendors.deskworld.example\n",
            "ap@v-1.vendors.deskworld.example",
        ),
        (b"Delivered-To: real@outside.example\nX-Envelope-To: forged@outside.example\n", "real@outside.example"),
        (b"To: claimed@outside.example\n", ""),
    ],
)
def test_a_letters_recipient_is_the_servers_word(head: bytes, recipient: str) -> None:
    assert envelope_recipient(message_from_bytes(head + b"\nhello\n")) == recipient
