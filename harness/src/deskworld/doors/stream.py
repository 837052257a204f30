"""The desk's event stream: rows and views across cases, each once, also over a connection that broke."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx
from httpx_sse import ServerSentEvent, aconnect_sse

from deskworld.doors import clock
from deskworld.doors.http import HttpDoor
from deskworld.doors.patience import AWAY_SECONDS, FIRST_PAUSE, Patience
from deskworld.errors import DoorFailed

SILENCE_SECONDS = 45.0
"""The desk sends a comment every 15 s; three missed mean that the connection is dead."""


class DeskStream:
    """Listens from the stream's end at `open`. Nothing is missed from then on and nothing is told twice."""

    def __init__(
        self,
        stage: HttpDoor,
        *,
        on_row: Callable[[dict[str, Any]], None],
        on_view: Callable[[dict[str, Any]], None],
        on_broken: Callable[[str], None],
        away: float = AWAY_SECONDS,
    ) -> None:
        """`on_broken` is told once the desk has been away for `away` seconds."""
        self._stage = stage
        self._on_row = on_row
        self._on_view = on_view
        self._on_broken = on_broken
        self._cursor: int | None = None
        self._patience = Patience(away)
        self._said_hello = False
        self._opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task: asyncio.Task[None] | None = None

    async def open(self, within: float = 10.0) -> None:
        """Returns once the desk has said where its stream stands. Raises DoorFailed."""
        self._task = asyncio.create_task(self._listen(), name="desk stream")
        try:
            await asyncio.wait_for(asyncio.shield(self._opened), within)
        except TimeoutError:
            await self.close()
            raise DoorFailed(f"desk stage: no hello on the stream within {within:.0f} s") from None

    async def close(self) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _listen(self) -> None:
        while True:
            self._said_hello, why = False, ""
            async for _ in self._patience.tries():
                why = await self._until_cut()
                if self._said_hello:
                    break
            else:
                self._give_up(f"desk stage: its stream has been away for {self._patience.seconds:.0f} s; last: {why}")
                return
            await clock.pause(FIRST_PAUSE)

    async def _until_cut(self) -> str:
        try:
            await self._connection()
        except (httpx.HTTPError, DoorFailed) as error:
            return f"{type(error).__name__} {error}"
        return "the desk closed it"

    def _give_up(self, why: str) -> None:
        if not self._opened.done():
            self._opened.set_exception(DoorFailed(why))
        self._on_broken(why)

    async def _connection(self) -> None:
        query = {} if self._cursor is None else {"after": str(self._cursor)}
        timeout = httpx.Timeout(10.0, read=SILENCE_SECONDS)
        async with aconnect_sse(self._stage.client, "GET", "/stage/stream", params=query, timeout=timeout) as source:
            if source.response.status_code != 200:
                raise DoorFailed(f"desk stage answered the stream with {source.response.status_code}")
            async for event in source.aiter_sse():
                self._take(event)

    def _take(self, event: ServerSentEvent) -> None:
        data = json.loads(event.data) if event.data else {}
        if event.event == "hello":
            self._said_hello = True
            self._patience.met()
            self._cursor = self._cursor if self._cursor is not None else data["cursor"]
            if not self._opened.done():
                self._opened.set_result(None)
        elif event.event == "row":
            if self._cursor is None or data["cursor"] > self._cursor:
                self._cursor = data["cursor"]
                self._on_row(data["row"])
        elif event.event == "view":
            self._on_view(data)
