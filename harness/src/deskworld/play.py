"""One case, played to its end: listen, let the script's people move, and stop when the case is settled.

Knows no door and no world by name: it takes an opened site and returns one Record. Whatever breaks is in the Record.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from deskworld import settle
from deskworld.doors import clock
from deskworld.errors import DoorFailed, HarnessError, PersonSlipped
from deskworld.values.case import Case, Seeded
from deskworld.values.evidence import Evidence
from deskworld.values.record import Ending, Move, Record, Settled, View
from deskworld.world import Feed, Happening, Seen, Site, World

MOVE_SECONDS = 120.0
"""A move that has no row on the timeline after this long is lost."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds: for the whole case, without anything happening, and until a move has its row."""

    timeout: float
    stall: float
    move: float = MOVE_SECONDS


@dataclass(frozen=True, slots=True)
class Ended:
    ending: Ending
    settled: Settled | None = None
    problem: str | None = None


async def play(
    case: Case, site: Site, world: World, limits: Limits, on_seeded: Callable[[Case, Seeded], None] = lambda *_: None
) -> Record:
    """Never raises but for cancellation: a run that broke is a Record that says how."""
    seeded: Seeded | None = None
    seen: Seen | None = None
    started = clock.monotonic()
    try:
        async with site.follow(case) as feed:
            seeded = await site.stage(case)
            on_seeded(case, seeded)
            started = clock.monotonic()
            player = _Player(Seen(case=case, seeded=seeded), feed, site, world, started)
            try:
                ended = await player.until_settled(limits)
            finally:
                seen = player.seen
                await player.stop()
    except HarnessError as error:
        ended = Ended("failed", problem=error.what)
    return Record(
        case=case,
        seeded=seeded,
        ending=ended.ending,
        settled=ended.settled,
        problem=ended.problem,
        moves=seen.moves if seen else (),
        mail=seen.mail if seen else (),
        seconds=clock.monotonic() - started,
    )


async def witnessed(record: Record, site: Site) -> Evidence | None:
    """What a played case is graded by. None is a missing witness, and so never a pass."""
    if record.seeded is None:
        return None
    try:
        return await site.collect(record)
    except DoorFailed:
        return None


class _Player:
    """Holds what was seen, and the moves that are being made."""

    def __init__(self, seen: Seen, feed: Feed, site: Site, world: World, started: float) -> None:
        self.seen = seen
        self._feed = feed
        self._site = site
        self._world = world
        self._started = started
        self._making: set[asyncio.Task[None]] = set()

    async def until_settled(self, limits: Limits) -> Ended:
        while True:
            if self._feed.empty():
                found = self._move_or_settle()
                if found is not None:
                    return found
            happening = await self._next(limits)
            if isinstance(happening, Ended):
                return happening
            broken = self._take(happening)
            if broken is not None:
                return broken

    async def stop(self) -> None:
        for task in self._making:
            task.cancel()
        if self._making:
            await asyncio.wait(self._making)

    def _move_or_settle(self) -> Ended | None:
        """Only once everything heard so far was taken in: half a transaction is no ground to act on."""
        for move in self._world.due(self.seen):
            self._make(move.model_copy(update={"at": clock.monotonic() - self._started}))
        found = settle.settled(self.seen, self._world)
        return None if found is None else Ended("settled", settled=found)

    def _make(self, move: Move) -> None:
        self.seen = replace(self.seen, moves=(*self.seen.moves, move))
        task = asyncio.create_task(self._act(move), name=move.key)
        self._making.add(task)
        task.add_done_callback(self._making.discard)

    async def _act(self, move: Move) -> None:
        try:
            made = await self._site.act(self.seen.case, move)
        except PersonSlipped as slip:
            self._feed.put_nowait(Happening(broken=f"slip: {slip.what}"))
        except HarnessError as error:
            self._feed.put_nowait(Happening(broken=error.what))
        else:
            self._feed.put_nowait(Happening(made=made))

    async def _next(self, limits: Limits) -> Happening | Ended:
        left = limits.timeout - (clock.monotonic() - self._started)
        lost = self._first_unarrived(limits.move)
        if lost is not None:
            return Ended("move-lost", problem=f"no row after {limits.move:.0f} s for: {lost.rule} ({lost.row})")
        if left <= 0:
            return Ended("timeout", problem=f"not settled after {limits.timeout:.0f} s: {self._blocked()}")
        try:
            return await asyncio.wait_for(self._feed.get(), min(left, limits.stall, limits.move))
        except TimeoutError:
            if left <= limits.stall:
                return Ended("timeout", problem=f"not settled after {limits.timeout:.0f} s: {self._blocked()}")
            if limits.stall <= limits.move:
                return Ended("stalled", problem=f"nothing happened for {limits.stall:.0f} s: {self._blocked()}")
            return Happening()

    def _first_unarrived(self, after: float) -> Move | None:
        due_before = clock.monotonic() - self._started - after
        late = (move for move in self.seen.moves if move.at < due_before)
        return next((move for move in late if not settle.arrived(move, self.seen)), None)

    def _blocked(self) -> str:
        last = self.seen.rows[-1] if self.seen.rows else None
        heard = f"last row: {last['kind']} #{last['seq']}" if last else "no row was ever heard"
        return f"{settle.blocked(self.seen, self._world)}; {heard}"

    def _take(self, happening: Happening) -> Ended | None:
        seen = self.seen
        if happening.broken is not None:
            slip = happening.broken.startswith("slip: ")
            return Ended("slip" if slip else "failed", problem=happening.broken)
        if happening.row is not None:
            self.seen = replace(seen, rows=(*seen.rows, happening.row))
        if happening.view is not None:
            self.seen = replace(seen, views=_with_view(seen.views, happening.view))
        if happening.mail is not None:
            self.seen = replace(seen, mail=(*seen.mail, happening.mail))
        if happening.made is not None:
            made = happening.made
            self.seen = replace(seen, moves=tuple(made if one.key == made.key else one for one in seen.moves))
        return None


def _with_view(views: Mapping[str, View], view: View) -> Mapping[str, View]:
    """The newest view of each case; one that overtook another on the way is dropped."""
    known = views.get(view.case_id)
    return views if known is not None and known.seq > view.seq else {**views, view.case_id: view}
