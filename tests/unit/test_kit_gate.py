"""While a receiver is away one asks after it at a time; once it is back all go through."""

import asyncio
from random import Random

from deskworld_kit.gate import Backoff, Gate


def gate(**changes: float) -> Gate:
    return Gate(Backoff(**{"first": 0.001, "most": 0.002} | changes), Random(1))  # type: ignore[arg-type]


async def test_open_it_lets_all_through_at_once() -> None:
    one, inside = gate(), 0
    async with one.passed(), one.passed(), one.passed():
        inside += 1
    assert inside == 1


async def test_closed_it_lets_one_through_at_a_time() -> None:
    one, most, inside = gate(), 0, 0
    one.unwell()

    async def send() -> None:
        nonlocal most, inside
        async with one.passed():
            inside += 1
            most = max(most, inside)
            await asyncio.wait([asyncio.ensure_future(asyncio.Event().wait())], timeout=0.002)
            one.unwell()
            inside -= 1

    await asyncio.gather(*(send() for _ in range(5)))
    assert most == 1


async def test_one_that_comes_through_opens_it_for_all() -> None:
    one, order = gate(), []
    one.unwell()

    async def send(name: int) -> None:
        async with one.passed():
            order.append(name)
            one.well()

    await asyncio.wait_for(asyncio.gather(*(send(number) for number in range(50))), 5)
    assert order == list(range(50))


async def test_those_who_failed_together_count_once() -> None:
    one = gate(first=1.0, most=60.0)
    for _ in range(64):
        one.unwell()
    assert one._failures == 1


async def test_what_the_receiver_asks_for_is_waited_up_to_the_most() -> None:
    one = gate(first=0.001, most=10.0)
    one.unwell(wait=5.0)
    first = one._until
    other = gate(first=0.001, most=10.0)
    other.unwell(wait=3600.0)
    assert 4 < other._until - first < 6
