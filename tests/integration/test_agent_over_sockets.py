"""The client as it is used: over real sockets, with the transport that ships."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import uvicorn
from tests.support.agent import SECRET, Office, documents, queue, turn

from deskworld_agent.door import OpenTurn, agent_door
from deskworld_agent.errors import DoorFailed
from deskworld_agent.work import work

DEADLINE = 10.0


@asynccontextmanager
async def served(office: Office) -> AsyncIterator[tuple[str, uvicorn.Server]]:
    """A socket that listens before anybody serves it: the first request waits in its queue."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(
        uvicorn.Config(office.app(), log_level="error", lifespan="off", timeout_graceful_shutdown=1)
    )
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", server
    finally:
        server.should_exit = True
        await asyncio.wait_for(serving, DEADLINE)
        listening.close()


async def test_a_turn_is_worked_from_claim_to_end_over_a_socket() -> None:
    office, stop = Office(tools=documents(), turns=queue(turn(), turn(number=2))), asyncio.Event()

    async def act(found: OpenTurn) -> None:
        invoice = await found.call("get_invoice")
        assert invoice.ok
        await found.call("propose_resolution", action="hold", citations=list(invoice.ids), rationale="r")

    async with served(office) as (url, _), agent_door(url, token_url=f"{url}/token", secret=SECRET) as door:
        working = asyncio.create_task(work(door, act, stop=stop, side_by_side=2))
        await office.until(lambda: len(office.ended) == 2, DEADLINE)
        stop.set()
        await asyncio.wait_for(working, DEADLINE)
    assert len(office.made("propose_resolution")) == 2


async def test_a_door_that_is_gone_is_a_failure_with_a_name() -> None:
    office = Office(turns=queue(turn()))
    async with served(office) as (url, _), agent_door(url, token_url=f"{url}/token", secret=SECRET) as door:
        found = await door.claim()
        assert found is not None
        async with agent_door("http://127.0.0.1:9", token_url=f"{url}/token", secret=SECRET) as elsewhere:
            with pytest.raises(DoorFailed, match="/turns/claim"):
                await elsewhere.claim()
        async with agent_door(url, token_url="http://127.0.0.1:9/token", secret=SECRET) as stranger:
            with pytest.raises(DoorFailed, match="token"):
                await stranger.sign_in()


async def test_waiting_for_a_turn_ends_at_once_when_told_to_stop() -> None:
    office, stop = Office(), asyncio.Event()
    async with served(office) as (url, _), agent_door(url, token_url=f"{url}/token", secret=SECRET) as door:

        async def act(_: OpenTurn) -> None:
            raise AssertionError("there is no turn")

        working = asyncio.create_task(work(door, act, stop=stop, side_by_side=4))
        await door.sign_in()
        stop.set()
        await asyncio.wait_for(working, DEADLINE)
    assert office.tokens == 1
