"""Somebody's place in a case: what its holder is asked, also where the script would have them silent."""

import asyncio
from dataclasses import replace
from typing import Any, Literal

from deskworld.values.case import Part, Voice
from deskworld.values.record import Move
from deskworld.world import Seen, World

Place = Literal["buyer", "vendor", "decider"]
KINDS = {"buyer": "answer", "vendor": "mail", "decider": "decision"}
ROW_SECONDS = 10.0
"""The row of what was asked is never far behind it."""
ASKED_BY = {"question.asked": "question_id", "decision.requested": "decision_id", "mail.sent": "message_id"}


class Seat:
    """Stands before a world's `due` and `awaits`: its holder is asked of everything that comes to their place."""

    def __init__(self, world: World, place: Place) -> None:
        self._scripted, self.place = world, place
        self.world = replace(world, due=self._due, awaits=self._awaits)
        self._rows: tuple[Any, ...] = ()
        self._more = asyncio.Event()
        self._unscripted: set[str] = set()

    def is_mine(self, move: Move) -> bool:
        return move.kind == KINDS[self.place]

    def is_scripted(self, move: Move) -> bool:
        """Whether the script would make this move, or keep silent."""
        return move.key not in self._unscripted

    def row(self, kind: str, name: str, value: str) -> dict[str, Any] | None:
        found = (row["data"] for row in reversed(self._rows) if row["kind"] == kind)
        return next((data for data in found if data.get(name) == value), None)

    async def asked(self, move: Move) -> tuple[str, dict[str, Any]] | None:
        """The kind and the contents of the row that calls for this move, waited for where it is still under way; None
        for a move that nobody called for."""
        wanted = move.answers.message_id if move.answers else move.row
        if move.kind == "mail" and move.answers is None:
            return None
        try:
            async with asyncio.timeout(ROW_SECONDS):
                while True:
                    for kind, name in ASKED_BY.items():
                        if (data := self.row(kind, name, wanted)) is not None:
                            return kind, data
                    self._more.clear()
                    await self._more.wait()
        except TimeoutError:
            return None

    def _due(self, seen: Seen) -> tuple[Move, ...]:
        self._rows = seen.rows
        self._more.set()
        scripted = self._scripted.due(seen)
        keys = {move.key for move in scripted}
        more = [move for move in self._scripted.due(self._seated(seen)) if self.is_mine(move) and move.key not in keys]
        self._unscripted.update(move.key for move in more)
        return (*scripted, *more)

    def _awaits(self, seen: Seen) -> str | None:
        return self._scripted.awaits(self._seated(seen))

    def _seated(self, seen: Seen) -> Seen:
        script = {name: self._speaking(part) for name, part in seen.case.script.items()}
        return replace(seen, case=seen.case.model_copy(update={"script": script}))

    def _speaking(self, part: Part) -> Part:
        """Somebody of this place who is never silent: what they will say is asked of its holder."""
        if self.place == "decider":
            return part.model_copy(update={"decides": "approve"}) if part.decides == "silent" else part
        if ("@" in part.identity) != (self.place == "vendor") or part.says.answer(1 << 30) is not None:
            return part
        return part.model_copy(update={"says": Voice(said=(*part.says.said, ""), then="repeat")})
