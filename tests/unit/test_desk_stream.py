"""The stream tells every committed row once and in order, also when tasks that commit race each other."""

import asyncio

from deskworld_desk.timeline.stream import GAP_SECONDS, Broadcast, Listener, Published


async def never(first: int, last: int) -> Published:
    raise AssertionError(f"nothing is missing, yet {first} to {last} was asked for")


def heard(listener: Listener) -> list[bytes]:
    return [message for _ in range(listener.queue.qsize()) for message in listener.queue.get_nowait().messages]


async def test_rows_that_are_told_out_of_order_are_heard_in_order() -> None:
    broadcast = Broadcast(last=10, fill=never)
    listener = broadcast.listen()
    broadcast.publish(13, 1, [b"13"])
    broadcast.publish(12, 1, [b"12"])
    assert heard(listener) == []
    broadcast.publish(11, 1, [b"11"])
    assert heard(listener) == [b"11", b"12", b"13"]
    assert broadcast.last == 13


async def test_a_transaction_of_several_rows_moves_the_cursor_by_as_many() -> None:
    broadcast = Broadcast(last=0, fill=never)
    listener = broadcast.listen()
    broadcast.publish(1, 3, [b"1", b"2", b"3", b"view"])
    broadcast.publish(4, 1, [b"4"])
    assert heard(listener) == [b"1", b"2", b"3", b"view", b"4"]


async def test_who_comes_later_hears_only_what_comes_after() -> None:
    broadcast = Broadcast(last=0, fill=never)
    broadcast.publish(1, 1, [b"1"])
    listener = broadcast.listen()
    broadcast.publish(2, 1, [b"2"])
    assert (listener.cursor, heard(listener)) == (1, [b"2"])


async def test_who_leaves_hears_no_more() -> None:
    broadcast = Broadcast(last=0, fill=never)
    listener = broadcast.listen()
    broadcast.leave(listener)
    broadcast.publish(1, 1, [b"1"])
    assert heard(listener) == []


async def test_rows_whose_commit_was_never_told_are_read_back_from_the_table() -> None:
    asked: list[tuple[int, int]] = []

    async def fill(first: int, last: int) -> Published:
        asked.append((first, last))
        return Published(first, last - first + 1, (b"read back",))

    broadcast = Broadcast(last=0, fill=fill)
    listener = broadcast.listen()
    broadcast.publish(3, 1, [b"3"])
    first = await asyncio.wait_for(listener.queue.get(), GAP_SECONDS * 5)
    second = await asyncio.wait_for(listener.queue.get(), 1)
    assert [first.messages, second.messages] == [(b"read back",), (b"3",)]
    assert asked == [(1, 2)]


async def test_a_listener_that_falls_too_far_behind_is_let_go_instead_of_filling_memory() -> None:
    broadcast = Broadcast(last=0, fill=never, backlog=2)
    listener = broadcast.listen()
    for cursor in (1, 2, 3):
        broadcast.publish(cursor, 1, [b"%d" % cursor])
    assert listener.lost
    assert heard(listener) == [b"1", b"2"]
