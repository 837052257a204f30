"""Health asks everything side by side, in words, soon, and not more often than it says something new."""

import asyncio

from deskworld_kit.health import Health, Unwell


async def well() -> None:
    return


async def away() -> None:
    raise Unwell("nobody listens to the mailbox: LOGIN: NO")


async def broken() -> None:
    raise ConnectionRefusedError("Connect call failed\nand more")


async def mute() -> None:
    await asyncio.Event().wait()


async def test_each_part_is_told_in_words_and_none_hides_another() -> None:
    health = Health({"database": well, "mailbox": away, "erp": broken, "policy": mute}, within=0.05)
    assert await health() == {
        "database": "ok",
        "mailbox": "nobody listens to the mailbox: LOGIN: NO",
        "erp": "ConnectionRefusedError: Connect call failed",
        "policy": "no answer within 0.05 s",
    }


async def test_parts_are_asked_side_by_side() -> None:
    """Each waits for the other to be asked."""
    asked = asyncio.Barrier(2)

    async def together() -> None:
        await asked.wait()

    assert await Health({"database": together, "policy": together}, within=5)() == {"database": "ok", "policy": "ok"}


async def test_whoever_asks_meanwhile_or_soon_after_shares_the_answer() -> None:
    asked, go_on = 0, asyncio.Event()

    async def counted() -> None:
        nonlocal asked
        asked += 1
        await go_on.wait()

    health = Health({"database": counted}, within=5)
    first, second = asyncio.create_task(health()), asyncio.create_task(health())
    gone = asyncio.create_task(health())
    await asyncio.wait([first], timeout=0)
    gone.cancel()
    go_on.set()
    assert await first == await second == await health() == {"database": "ok"}
    assert asked == 1


async def test_what_was_unwell_is_asked_again_as_soon_as_somebody_may_wait_for_it() -> None:
    """Within the time of this test an answer of "ok" would still stand."""
    tries = 0

    async def at_last() -> None:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise Unwell("not yet")

    health = Health({"database": at_last}, within=5)
    async with asyncio.timeout(5):
        while (await health())["database"] != "ok":
            await asyncio.wait([asyncio.create_task(mute())], timeout=0.01)
    assert tries == 3
