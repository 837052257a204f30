"""Letters handed over to real SMTP servers: who got them, who did not, and what a broken line means."""

import asyncio
from datetime import UTC, datetime

import pytest
from tests.support.mail_office import Office, peer

from deskworld_desk.mail.message import Letter, compose
from deskworld_desk.mail.sender import MailUnavailable, Sender

FROM = "ap@deskworld.example"
GOOD = "ap@v-1.vendors.deskworld.example"
RAW = compose(
    Letter("<1@deskworld.example>", FROM, (GOOD,), "Subject", "Line\n.dot\n\nend"), datetime(2026, 5, 4, tzinfo=UTC)
)


async def test_a_letter_is_accepted_octet_for_octet() -> None:
    office = Office()
    async with peer(office) as (sender, _):
        sent = await sender.send(RAW, FROM, [GOOD])
    assert [(each.address, each.outcome) for each in sent.recipients] == [(GOOD, "accepted")]
    assert office.taken == [(FROM, [GOOD], RAW)]


async def test_each_recipient_has_an_outcome_of_their_own() -> None:
    office = Office(refused={"gone@v-1.vendors.deskworld.example": "550 5.1.1 no such mailbox"})
    async with peer(office) as (sender, _):
        sent = await sender.send(RAW, FROM, [GOOD, "gone@v-1.vendors.deskworld.example"])
    assert [(each.address, each.outcome, each.detail) for each in sent.recipients] == [
        (GOOD, "accepted", "250 ok"),
        ("gone@v-1.vendors.deskworld.example", "refused", "550 5.1.1 no such mailbox"),
    ]
    assert office.taken[0][1] == [GOOD]


async def test_a_letter_that_everybody_refused_went_nowhere_and_the_next_one_goes() -> None:
    office = Office(refused={"x@x.example": "550 no"})
    async with peer(office) as (sender, _):
        sent = await sender.send(RAW, FROM, ["x@x.example"])
        assert [each.outcome for each in sent.recipients] == ["refused"]
        assert not office.taken
        await sender.send(RAW, FROM, [GOOD])
    assert len(office.taken) == 1


async def test_recipients_put_off_for_now_are_no_refusal() -> None:
    office = Office(refused={GOOD: "451 try later"})
    async with peer(office) as (sender, _):
        with pytest.raises(MailUnavailable, match="451 try later") as raised:
            await sender.send(RAW, FROM, [GOOD])
    assert (raised.value.put_off, raised.value.maybe_sent) == (True, False)


async def test_content_that_the_server_will_have_later_is_put_off() -> None:
    async with peer(Office(content_answer="452 4.3.1 no room")) as (sender, _):
        with pytest.raises(MailUnavailable, match="no room") as raised:
            await sender.send(RAW, FROM, [GOOD])
    assert (raised.value.put_off, raised.value.maybe_sent) == (True, False)


async def test_content_that_the_server_will_not_have_is_refused_for_all() -> None:
    office = Office(content_answer="554 no such content here")
    async with peer(office) as (sender, _):
        sent = await sender.send(RAW, FROM, [GOOD])
    assert [(each.outcome, each.detail) for each in sent.recipients] == [("refused", "554 no such content here")]


async def test_letters_share_one_connection() -> None:
    office = Office()
    async with peer(office) as (sender, _):
        await asyncio.gather(*(sender.send(RAW, FROM, [GOOD]) for _ in range(5)))
    assert (len(office.taken), len(office.sessions)) == (5, 1)


async def test_a_connection_that_the_server_dropped_meanwhile_is_made_anew() -> None:
    office = Office()
    async with peer(office) as (sender, _):
        await sender.send(RAW, FROM, [GOOD])
        assert sender._client is not None
        assert sender._client.transport is not None
        sender._client.transport.abort()  # type: ignore[attr-defined]
        await sender.send(RAW, FROM, [GOOD])
    assert (len(office.taken), len(office.sessions)) == (2, 2)


async def test_a_line_cut_after_the_letter_says_that_it_may_have_gone_and_is_not_sent_again() -> None:
    office = Office()
    async with peer(office) as (sender, _):
        await sender.send(RAW, FROM, [GOOD])
        office.content_answer = "cut"
        with pytest.raises(MailUnavailable) as raised:
            await sender.send(RAW, FROM, [GOOD])
        assert raised.value.maybe_sent
        office.content_answer = "250 taken"
        await sender.send(RAW, FROM, [GOOD])
    assert len(office.taken) == 2


async def test_nobody_listening_is_unavailable() -> None:
    office = Office()
    async with peer(office) as (sender, server):
        server.close()
        with pytest.raises(MailUnavailable, match=r"127\.0\.0\.1") as raised:
            await sender.send(RAW, FROM, [GOOD])
    assert not raised.value.put_off


async def test_a_wrong_password_is_unavailable() -> None:
    async with peer(Office()) as (_, server):
        sender = Sender("127.0.0.1", server.sockets[0].getsockname()[1], "desk", "wrong", timeout=5)
        with pytest.raises(MailUnavailable, match="535"):
            await sender.send(RAW, FROM, [GOOD])


@pytest.mark.parametrize("address", ["", "x", "a b@c.example", "a@b.example>\r\nRCPT TO:<c@d.example", "ä@b.example"])
async def test_what_is_no_address_is_never_spoken_to_a_server(address: str) -> None:
    office = Office()
    async with peer(office) as (sender, _):
        with pytest.raises(ValueError, match="plain mail address"):
            await sender.send(RAW, FROM, [address])
    assert not office.sessions
