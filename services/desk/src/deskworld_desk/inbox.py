"""Ids of rows that a worker is to look at. The rows stay the truth: at start-up they are put in here again."""

import asyncio


class Inbox:
    def __init__(self) -> None:
        self._queue: asyncio.Queue[str] = asyncio.Queue()

    def put(self, row_id: str) -> None:
        self._queue.put_nowait(row_id)

    async def take(self) -> str:
        return await self._queue.get()
