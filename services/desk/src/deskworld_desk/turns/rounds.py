"""Which calls of a turn were under way together. Calls of one turn are worked one after the other."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class _Running:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    number: int = 0
    under_way: int = 0
    before: int | None = None


class Rounds:
    def __init__(self) -> None:
        self._turns: dict[str, _Running] = {}

    @asynccontextmanager
    async def call(self, turn_id: str) -> AsyncIterator[int]:
        """The number of the round that this call belongs to; the block runs alone among the turn's calls."""
        running = self._turns.setdefault(turn_id, _Running())
        if running.under_way == 0:
            running.number += 1
        number = running.number
        running.under_way += 1
        try:
            async with running.lock:
                yield number
        finally:
            running.under_way -= 1

    def since(self, turn_id: str, number: int, on_record: int) -> int:
        """The number of the round in the whole turn. `on_record`: the highest that rows have, which another process
        may have made; what it was when this one began counts."""
        running = self._turns[turn_id]
        if running.before is None:
            running.before = on_record
        return running.before + number

    def forget(self, turn_id: str) -> None:
        running = self._turns.get(turn_id)
        if running is not None and running.under_way == 0:
            del self._turns[turn_id]
