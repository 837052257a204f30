"""The desk's ear against a server that does what real servers have been seen to do."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.support.listening import LETTER, Desk, listening
from tests.support.mail import ScriptedImap, scripted_imap

from deskworld_desk.mail.listener import STRIKES, Listener

BOTH = 2  # an ear and a hand


@pytest.fixture
async def server() -> AsyncIterator[ScriptedImap]:
    async with scripted_imap() as peer:
        yield peer


async def test_mail_waiting_and_mail_arriving_are_each_told_once_in_order(server: ScriptedImap) -> None:
    desk = Desk()
    server.script.shuffled = True
    for _ in range(5):
        server.add(LETTER)
    async with listening(server, desk):
        await desk.hears(5)
        await server.idled(1)
        server.add(LETTER)
        await desk.hears(6)
        server.add(LETTER)
        server.add(LETTER)
        assert await desk.hears(8) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert all("BODY.PEEK[]" in each or "RFC822.SIZE" in each for each in server.fetched)


async def test_only_what_came_after_the_last_position_is_read(server: ScriptedImap) -> None:
    desk = Desk(position=(1, 2))
    for _ in range(3):
        server.add(LETTER)
    async with listening(server, desk):
        assert await desk.hears(1) == [3]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"x",
        b"Subject: =?x\r\n\r\n* 3 EXISTS\r\n)\r\nA001 OK done\r\n+ go\r\n* BYE\r\n",
        b'Subject: say "hi"\r\n\r\n{12}\r\n)))(((\r\n',
        b"Subject: bare\n\nlone\nfeeds\rand returns\r\n",
        b"Subject: octets\r\n\r\n" + bytes(range(256)),
        b"Subject: many lines\r\n\r\n" + b"* 1 FETCH (\r\n" * 20_000,
    ],
    ids=["empty", "one octet", "looks like imap", "brackets", "bare line ends", "all octets", "many lines"],
)
async def test_a_body_of_any_octets_arrives_as_it_was_sent(server: ScriptedImap, raw: bytes) -> None:
    desk = Desk()
    server.add(raw)
    server.add(LETTER)
    async with listening(server, desk):
        await desk.hears(2)
    assert [each.raw for each in desk.heard] == [raw, LETTER]
    assert desk.heard[0].size == len(raw)


async def test_a_body_sent_as_a_quoted_string_keeps_its_stars_and_brackets(server: ScriptedImap) -> None:
    desk = Desk()
    server.script.quoted_bodies = True
    server.add(b'a "quoted" * 2 EXISTS ( \\ one')
    server.add(b"plain")
    async with listening(server, desk):
        await desk.hears(2)
    assert [each.raw for each in desk.heard] == [b'a "quoted" * 2 EXISTS ( \\ one', b"plain"]


async def test_a_message_above_the_limit_is_told_by_its_size_and_never_downloaded(server: ScriptedImap) -> None:
    desk = Desk()
    server.script.sizes[1] = 60 * 1024 * 1024
    server.add(LETTER)
    server.add(LETTER)
    async with listening(server, desk):
        await desk.hears(2)
    assert (desk.heard[0].raw, desk.heard[0].size) == (LETTER.partition(b"body")[0], 60 * 1024 * 1024)
    assert not any(each.startswith("UID FETCH 1 (UID BODY.PEEK[])") for each in server.fetched)
    assert (desk.heard[1].raw, [each.whole for each in desk.heard]) == (LETTER, [False, True])


async def test_a_message_above_the_limit_is_told_also_when_its_header_cannot_be_had(server: ScriptedImap) -> None:
    desk = Desk()
    server.script.sizes[1], server.script.heads = 60 * 1024 * 1024, False
    server.add(LETTER)
    async with listening(server, desk):
        await desk.hears(1)
    assert (desk.heard[0].raw, desk.heard[0].whole) == (b"", False)


async def test_a_message_that_breaks_the_line_whenever_it_is_fetched_holds_up_nobody_for_ever(
    server: ScriptedImap,
) -> None:
    desk = Desk()
    server.script.never_gives = {1}
    for _ in range(2):
        server.add(LETTER)
    async with listening(server, desk, on_poison=desk.take_poison):
        assert await desk.hears(2) == [1, 2]
    assert (desk.poison, desk.heard[0].raw, desk.heard[0].whole) == ([1], b"", False)
    assert sum(each.startswith("UID FETCH 1 (UID BODY.PEEK[])") for each in server.fetched) == STRIKES


async def test_mail_told_of_while_messages_are_listed_is_not_lost(server: ScriptedImap) -> None:
    desk = Desk()

    def meanwhile() -> None:
        server.add(LETTER, tell=False)

    server.script.during_look = meanwhile
    async with listening(server, desk):
        assert await desk.hears(1) == [1]


async def test_mail_that_comes_just_before_idle_begins_is_read_although_it_is_never_told_of(
    server: ScriptedImap,
) -> None:
    """A server may tell in IDLE of what comes from then on, and never of what came between its last answer and that."""
    desk = Desk()

    def meanwhile() -> None:
        server.add(LETTER, tell=False)

    async with listening(server, desk, idle_seconds=1.5):
        await server.idled(1)
        server.script.before_idle = meanwhile
        assert await desk.hears(1) == [1]
        assert server.idles == 2


async def test_mail_that_comes_after_a_server_said_it_idles_and_before_it_does_is_read_soon(
    server: ScriptedImap,
) -> None:
    desk = Desk()
    async with listening(server, desk):
        await server.idled(1)
        await desk.in_state("listening")
        await server.until(lambda: server.noops == 1, "the first look")
        server.add(LETTER, tell=False)
        assert await desk.hears(1) == [1]
    assert server.idles == 1


async def test_mail_that_is_told_of_before_it_can_be_found_is_looked_for_until_it_is_there(
    server: ScriptedImap,
) -> None:
    desk = Desk()
    async with listening(server, desk):
        await server.idled(1)
        await server.until(lambda: server.noops >= 2, "the look after IDLE has settled")
        server.push(b"* 1 EXISTS")
        await server.until(lambda: server.noops >= 5, "looks that found nothing")
        server.add(LETTER, tell=False)
        assert await desk.hears(1) == [1]
        server.add(LETTER)
        assert await desk.hears(2) == [1, 2]


async def test_mail_that_the_hand_may_not_fetch_before_it_asked_for_news_is_not_lost(server: ScriptedImap) -> None:
    desk = Desk()
    server.script.hides_untold = True

    def meanwhile() -> None:
        server.add(LETTER)

    async with listening(server, desk):
        await server.idled(1)
        await server.until(lambda: server.noops >= 2, "the look after IDLE has settled")
        server.script.before_look = meanwhile
        server.add(LETTER)
        assert await desk.hears(2) == [1, 2]


async def test_a_server_that_tells_nothing_is_asked_again_when_idle_is_renewed(server: ScriptedImap) -> None:
    desk = Desk()
    server.script.deaf_in_idle = True
    async with listening(server, desk, idle_seconds=0.05):
        await server.idled(2)
        server.add(LETTER)
        assert await desk.hears(1) == [1]


async def test_idle_may_not_last_as_long_as_servers_wait_before_logging_out() -> None:
    with pytest.raises(ValueError, match="idle_seconds"):
        Listener(
            host="h",
            port=1,
            login="l",
            password="p",
            position=Desk().last,
            on_message=Desk().take,
            idle_seconds=29 * 60,
        )


@pytest.mark.parametrize("how", ["bye in idle", "bye instead of idle", "line cut", "bye as greeting"])
async def test_a_lost_connection_is_made_again_and_nothing_is_read_twice(server: ScriptedImap, how: str) -> None:
    desk = Desk()
    server.add(LETTER)
    if how == "bye instead of idle":
        server.script.idle_answer = b"* BYE too many users"
    if how == "bye as greeting":
        server.script.greeting = b"* BYE later"
    async with listening(server, desk):
        if how == "bye as greeting":
            await desk.in_state("unavailable")
            server.script.greeting = b"* OK ready"
        await desk.hears(1)
        before = 0 if how in {"bye as greeting", "bye instead of idle"} else server.logins
        if how in {"bye in idle", "line cut"}:
            await server.idled(1)
            if how == "bye in idle":
                server.push(b"* BYE maintenance")
            else:
                server.hang_up()
        await server.until(lambda: server.logins >= before + BOTH, "two more logins")
        await server.idled(1)
        server.add(LETTER)
        assert await desk.hears(2) == [1, 2]
    assert any(state.name == "unavailable" for state in desk.states)


async def test_a_server_that_freezes_in_the_middle_of_a_body_is_left_and_the_body_read_again(
    server: ScriptedImap,
) -> None:
    desk = Desk()
    server.script.freeze_in_body = True
    server.add(LETTER * 100)
    async with listening(server, desk, timeout=0.3):
        await desk.hears(1)
    assert desk.heard[0].raw == LETTER * 100
    assert any("no end within" in state.detail or "unavailable" in state.name for state in desk.states)


async def test_a_renumbered_mailbox_is_looked_at_from_its_start(server: ScriptedImap) -> None:
    desk = Desk()
    for _ in range(3):
        server.add(LETTER)
    async with listening(server, desk):
        await desk.hears(3)
        await server.idled(1)
        server.validity = 1528896777421  # more than 32 bits has been seen
        server.add(LETTER, tell=False)
        server.hang_up()
        await desk.hears(7)
    assert [(each.uidvalidity, each.uid) for each in desk.heard[3:]] == [(1528896777421, uid) for uid in (1, 2, 3, 4)]


async def test_one_message_that_breaks_the_desk_is_put_aside_and_the_others_are_read(server: ScriptedImap) -> None:
    desk = Desk(breaks_on=lambda incoming: incoming.uid == 1)
    for _ in range(3):
        server.add(LETTER)
    async with listening(server, desk, on_poison=desk.take_poison):
        assert await desk.hears(3) == [1, 2, 3]
    assert desk.poison == [1]
    assert [state.detail for state in desk.states if state.name == "stuck"] == [
        "message 1: ValueError: this one breaks the desk"
    ]


async def test_without_a_place_for_poison_the_others_are_still_read(server: ScriptedImap) -> None:
    desk = Desk(breaks_on=lambda incoming: incoming.uid == 1)
    for _ in range(3):
        server.add(LETTER)
    async with listening(server, desk):
        assert await desk.hears(2) == [2, 3]


async def test_while_nothing_can_be_recorded_no_message_is_passed_over(server: ScriptedImap) -> None:
    desk = Desk(store_down=True)
    for _ in range(2):
        server.add(LETTER)
    async with listening(server, desk):
        await desk.in_state("unavailable")
        desk.store_down = False
        assert await desk.hears(2) == [1, 2]


async def test_a_wrong_password_is_told_and_tried_again_with_pauses(server: ScriptedImap) -> None:
    desk = Desk()
    listener = Listener(
        host="127.0.0.1",
        port=server.port,
        login="desk",
        password="wrong",
        position=desk.last,
        on_message=desk.take,
        on_state=desk.note,
        backoff=(0.01, 0.02),
    )
    running = asyncio.create_task(listener.run())
    await server.until(lambda: server.logins >= 3, "three logins")
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert "LOGIN: NO wrong password" in [state.detail for state in desk.states]


async def test_a_server_without_idle_is_said_to_be_unavailable(server: ScriptedImap) -> None:
    desk = Desk()
    server.script.capabilities = b"IMAP4rev1"
    async with listening(server, desk):
        await desk.in_state("unavailable")
    assert "the server does not offer IDLE" in [state.detail for state in desk.states]


async def test_a_thousand_announcements_in_one_piece_do_not_break_the_line(server: ScriptedImap) -> None:
    desk = Desk()
    async with listening(server, desk):
        await server.idled(1)
        for _ in range(5_000):
            server.push(b"* 1 EXISTS")
        server.add(LETTER)
        await desk.hears(1)
    assert server.logins == BOTH
