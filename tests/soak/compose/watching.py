"""What is in flight: every case of the desk as it says it stands, heard and not asked for."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from deskworld.doors.http import HttpDoor
from deskworld.doors.stream import DeskStream
from deskworld.errors import StackUnavailable
from deskworld.values.stack import Stack

OPENED_SECONDS = 30.0


class Watch:
    """Views of the cases that were opened or moved since, and what was set aside."""

    def __init__(self) -> None:
        self.views: dict[str, Mapping[str, Any]] = {}
        self.aside: Counter[str] = Counter()
        self.broken: str | None = None
        self._changed = asyncio.Event()

    def row(self, row: Mapping[str, Any]) -> None:
        if row["kind"] == "mail.set-aside":
            self.aside[str(row["data"]["message_id"])] += 1
        self._changed.set()

    def view(self, view: Mapping[str, Any]) -> None:
        self.views[str(view["case_id"])] = view
        self._changed.set()

    def lost(self, why: str) -> None:
        self.broken = why
        self._changed.set()

    def forget(self) -> None:
        self.views.clear()

    async def until(self, what: str, holds: Callable[[], bool], seconds: float) -> None:
        """Raises StackUnavailable when it does not come to hold, with what was seen last."""
        try:
            async with asyncio.timeout(seconds):
                while not holds():
                    self._changed.clear()
                    await self._changed.wait()
                    if self.broken:
                        raise StackUnavailable(f"awaited {what}; {self.broken}")
        except TimeoutError:
            raise StackUnavailable(f"awaited {what} for {seconds:.0f} s; last seen: {self.in_words()}") from None

    def moving(self) -> Counter[str]:
        """What is in motion, by kind."""
        return Counter(item["kind"] for view in self.views.values() for item in view["in_motion"])

    def waiting(self) -> Counter[str]:
        """What cases that rest wait for, by kind."""
        rest = [view for view in self.views.values() if not view["in_motion"]]
        return Counter(item["kind"] for view in rest for item in view["waiting_on"])

    def resting(self) -> int:
        """How many cases do nothing but wait for somebody."""
        return sum(bool(view["waiting_on"]) and not view["in_motion"] for view in self.views.values())

    def in_words(self) -> str:
        def told(counted: Counter[str]) -> str:
            return ", ".join(f"{number} {kind}" for kind, number in sorted(counted.items())) or "nothing"

        return f"in motion {told(self.moving())}; awaited {told(self.waiting())}"


@asynccontextmanager
async def watching(stack: Stack) -> AsyncIterator[Watch]:
    watch = Watch()
    door = HttpDoor("desk stage", stack.desk_stage, secret=stack.secrets.desk_stage)
    stream = DeskStream(door, on_row=watch.row, on_view=watch.view, on_broken=watch.lost)
    try:
        await stream.open(within=OPENED_SECONDS)
        yield watch
    finally:
        await stream.close()
        await door.close()
