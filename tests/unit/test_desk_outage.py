"""Work that meets an outage of the database is tried again; a bug is not."""

import asyncio

import pytest
from sqlalchemy.exc import IntegrityError, InterfaceError, OperationalError

from deskworld_desk.background import Background, one_by_one
from deskworld_desk.outage import is_outage, persistently

GONE = OperationalError("SELECT 1", {}, Exception("the server closed the connection"))


@pytest.mark.parametrize("error", [GONE, InterfaceError("", {}, Exception()), ConnectionRefusedError()])
def test_a_lost_connection_is_an_outage(error: Exception) -> None:
    assert is_outage(error)


@pytest.mark.parametrize("error", [IntegrityError("", {}, Exception()), ValueError(), KeyError("x")])
def test_an_error_in_what_was_asked_is_none(error: Exception) -> None:
    assert not is_outage(error)


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
    await asyncio.wait_for(finished.wait(), 5)
    assert done == ["whole"]
    await background.stop()


async def test_work_is_found_by_its_name_while_it_runs() -> None:
    background, go_on = Background(), asyncio.Event()
    background.start(go_on.wait(), name="decision 1")
    assert background.running("decision 1") is not None
    assert background.running("decision 2") is None
    await background.stop()
    assert background.running("decision 1") is None
