"""Who listens to the timeline and is cut off at any row comes back to what is missing, and hears nothing twice."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncSession
from tests.support.desk_inside import Inside

from deskworld_desk.cases.tables import Case
from deskworld_desk.cases.view import read_views
from deskworld_desk.timeline.reading import last_cursor, replay
from deskworld_desk.timeline.sse import stream_response
from deskworld_desk.timeline.stream import Published


@dataclass
class Client:
    """Reads until `enough`, and keeps the cursor as a browser keeps the last event's id."""

    core: Inside
    cursor: int
    at_once: int = 1_000
    rows: list[tuple[int, Any]] = field(default_factory=list)
    views: list[tuple[int, Any]] = field(default_factory=list)
    """Each with the cursor after which it came."""

    async def _stream(self) -> AsyncIterator[str]:
        async def again(first: int, last: int) -> Published:
            async with self.core.desk.db.snapshot() as session:
                return await replay(session, first, last, self.core.desk.names)

        left = b""
        broadcast = self.core.desk.broadcast
        response = stream_response(broadcast, after=self.cursor, replay=again, at_once=self.at_once)
        async for chunk in response.body_iterator:
            *whole, left = (left + (chunk if isinstance(chunk, bytes) else str(chunk).encode())).split(b"\n\n")
            for one in whole:
                yield one.decode()

    async def listen(self, enough: Callable[["Client"], bool]) -> None:
        """Until then, and no byte further: the connection is cut there."""
        stream = self._stream()
        try:
            async for message in stream:
                lines = dict(line.partition(": ")[::2] for line in message.splitlines())
                if lines.get("event") == "row":
                    self.cursor = int(lines["id"])
                    self.rows.append((self.cursor, json.loads(lines["data"])["row"]))
                elif lines.get("event") == "view":
                    self.views.append((self.cursor, json.loads(lines["data"])))
                if enough(self):
                    return
        finally:
            await stream.aclose()  # type: ignore[attr-defined]


async def head(core: Inside) -> int:
    async with core.desk.db.transaction() as session:
        return await last_cursor(session)


async def some_cases(core: Inside) -> int:
    """A case that is decided and one that the agent has; gives the cursor before them."""
    before = await head(core)
    asked = await core.asked((await core.opened())["exception_id"])
    await core.opened(rules="off")
    await core.decide(asked["decision_id"], "anna.keller", "decline", words="No.")
    await core.quiet()
    return before


async def test_cut_off_at_every_row_nothing_is_missed_and_nothing_comes_twice(core: Inside) -> None:
    before = await some_cases(core)
    last = await head(core)
    whole = Client(core, before)
    await whole.listen(lambda client: client.cursor == last)
    assert [cursor for cursor, _ in whole.rows] == list(range(before + 1, last + 1))
    for cut in range(before + 1, last):
        client = Client(core, before)
        for stop in (cut, last):
            await client.listen(lambda client, stop=stop: client.cursor == stop)  # type: ignore[misc]
        assert client.rows == whole.rows, cut


async def test_cut_off_after_every_single_row_in_turn_it_is_still_the_same(core: Inside) -> None:
    before = await some_cases(core)
    last = await head(core)
    client = Client(core, before)
    while client.cursor < last:
        heard = len(client.rows)
        await client.listen(lambda client, heard=heard: len(client.rows) > heard)  # type: ignore[misc]
    assert [cursor for cursor, _ in client.rows] == list(range(before + 1, last + 1))


async def test_cut_off_while_rows_are_written_nothing_is_missed_either(core: Inside) -> None:
    client = Client(core, await some_cases(core))
    for _ in range(3):
        middle = client.cursor + 2
        await client.listen(lambda client, middle=middle: client.cursor == middle)  # type: ignore[misc]
        await some_cases(core)
    last = await head(core)
    await client.listen(lambda client: client.cursor == last)
    cursors = [cursor for cursor, _ in client.rows]
    assert cursors == list(range(cursors[0], last + 1))


async def test_a_long_history_is_told_in_pieces_and_each_view_after_all_rows_that_it_reflects(core: Inside) -> None:
    before = await some_cases(core)
    last = await head(core)
    for pieces in (1, 2, 3, 5):
        client = Client(core, before, pieces)
        await client.listen(lambda client: client.cursor == last and len(client.views) >= 2)
        assert [cursor for cursor, _ in client.rows] == list(range(before + 1, last + 1))
        seqs = {(cursor, row["case_id"]): row["seq"] for cursor, row in client.rows}
        for cursor, view in client.views:
            heard = max(seq for (at, case), seq in seqs.items() if case == view["case_id"] and at <= cursor)
            assert view["seq"] == heard


async def test_who_asks_for_what_has_not_happened_yet_hears_what_comes(core: Inside) -> None:
    last = await head(core)
    client = Client(core, last + 1_000)
    listening = client._stream()
    assert json.loads((await anext(listening)).partition("data: ")[2]) == {"cursor": last}
    await listening.aclose()  # type: ignore[attr-defined]


class Interrupted:
    """A session that something is committed beside, each time its cases have been read."""

    def __init__(self, session: AsyncSession, meanwhile: Callable[[], Awaitable[object]]) -> None:
        self._session, self._meanwhile = session, meanwhile

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    async def scalars(self, *statement: Any) -> Any:
        found = await self._session.scalars(*statement)
        await self._meanwhile()
        return found


async def test_a_view_is_of_one_moment_whatever_is_committed_while_it_is_read(core: Inside) -> None:
    """Read in two moments, a case that the rules had would wait for a decision while it was still investigated."""
    case_id = (await core.opened())["exception_id"]
    await core.asked(case_id)
    before = await core.view(case_id)
    asked = before["waiting_on"][0]["id"]

    async def decline() -> None:
        if (await core.view(case_id))["state"] == "AWAITING_DECISION":
            await core.decide(asked, "anna.keller", "decline", words="No.")
            await core.quiet()

    async with core.desk.db.snapshot() as session:
        case = await session.get_one(Case, case_id)
        interrupted: Any = Interrupted(session, decline)
        assert await read_views(interrupted, [case], core.desk.names) == [before]
    assert (await core.view(case_id))["waiting_on"] != before["waiting_on"]


async def test_views_are_read_in_a_snapshot_or_not_at_all(core: Inside) -> None:
    case_id = (await core.opened())["exception_id"]
    async with core.desk.db.transaction() as session:
        case = await session.get_one(Case, case_id)
        with pytest.raises(AssertionError, match="must agree"):
            await read_views(session, [case], core.desk.names)
