"""Work that meets an outage of the database is tried again; a bug is not."""

import asyncio
from collections.abc import Callable

import pytest
from sqlalchemy.exc import OperationalError

from deskworld_desk.background import Alarm, Background, Sweep, one_by_one
from deskworld_desk.outage import persistently
from deskworld_kit import clock

GONE = OperationalError("SELECT 1", {}, Exception("the server closed the connection"))


async def test_work_is_tried_until_the_outage_is_over() -> None:
    tries = 0

    async def work() -> str:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise GONE
        return "done"

    assert await persistently(work, doing="work") == "done"
    assert tries == 3


async def test_a_bug_is_raised_at_once() -> None:
    async def work() -> None:
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        await persistently(work, doing="work")


async def test_one_broken_row_does_not_stop_the_worker() -> None:
    rows: asyncio.Queue[str] = asyncio.Queue()
    done: list[str] = []
    finished = asyncio.Event()

    async def work(row: str) -> None:
        if row == "broken":
            raise ValueError(row)
        done.append(row)
        finished.set()

    background = Background()
    background.start(one_by_one(rows.get, work, name="letter"), name="post")
    for row in ("broken", "whole"):
        rows.put_nowait(row)
    await asyncio.wait_for(finished.wait(), 20)
    assert done == ["whole"]
    await background.stop()


async def test_work_is_found_by_its_name_while_it_runs() -> None:
    background, go_on = Background(), asyncio.Event()
    background.start(go_on.wait(), name="decision 1")
    assert background.running("decision 1") is not None
    assert background.running("decision 2") is None
    await background.stop()
    assert background.running("decision 1") is None


async def test_a_sweep_asked_for_while_it_is_at_work_is_done_once_more() -> None:
    """What became due behind its back would otherwise wait for the next outage."""
    background, rounds, go_on, done = Background(), 0, asyncio.Event(), asyncio.Event()

    async def work() -> None:
        nonlocal rounds
        rounds += 1
        if rounds == 1:
            await go_on.wait()
        else:
            done.set()

    sweep = Sweep(background, work, name="sweep")
    for _ in range(3):
        sweep()
    await asyncio.wait_for(_until(lambda: rounds == 1), 20)
    sweep()
    go_on.set()
    await asyncio.wait_for(done.wait(), 20)
    assert rounds == 2
    await background.stop()


async def _until(fact: Callable[[], bool]) -> None:
    while not fact():
        await clock.pause(0)


async def test_an_alarm_rings_at_the_earliest_moment_that_it_was_set_to() -> None:
    alarm, rung = Alarm(), asyncio.Queue[str]()
    alarm.set(60.0, lambda: rung.put_nowait("late"))
    alarm.set(0.0, lambda: rung.put_nowait("soon"))
    alarm.set(60.0, lambda: rung.put_nowait("late"))
    assert await asyncio.wait_for(rung.get(), 20) == "soon"
    alarm.set(0.01, lambda: rung.put_nowait("again"))
    assert await asyncio.wait_for(rung.get(), 20) == "again"
    alarm.set(0.0, lambda: rung.put_nowait("never"))
    alarm.stop()
    await clock.pause(0.01)
    assert rung.empty()
