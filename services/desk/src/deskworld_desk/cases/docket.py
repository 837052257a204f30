"""One transaction over the cases of one record: rows change together, the timeline is appended at its end.

All cases of a record are locked, in one order, so that the work on a record is serial. The timeline rows, the views as
they then stand and the wake-ups go out only after the commit.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from sqlalchemy import ScalarSelect, Select, bindparam, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from deskworld_desk.cases.states import State, check_transition
from deskworld_desk.cases.tables import Case
from deskworld_desk.cases.view import views_of
from deskworld_desk.timeline.append import append, keep_blobs, own_rows
from deskworld_desk.timeline.kinds import Actor, CaseMoved, Entry
from deskworld_desk.timeline.rows import Row, dumps, make_row
from deskworld_desk.timeline.sse import row_message, view_message
from deskworld_desk.timeline.stream import Broadcast
from deskworld_desk.world import Names
from deskworld_kit import chain, clock
from deskworld_kit.database import Database
from deskworld_kit.outage import is_outage
from deskworld_kit.plans import constant

DESK = Actor(type="desk", id="desk")
NOTHING: Mapping[str, str] = MappingProxyType({})
_ALONE = constant(text("SELECT pg_advisory_xact_lock(hashtextextended(:record_id, 0))"))
_CASES = select(Case).order_by(Case.id).with_for_update()
_OF_RECORD = constant(_CASES.where(Case.record_id == bindparam("record_id")))
_OF_CASE = constant(
    _CASES.where(Case.record_id == select(Case.record_id).where(Case.id == bindparam("case_id")).scalar_subquery())
)


@dataclass(slots=True, eq=False)
class Docket:
    session: AsyncSession
    cases: dict[str, Case]
    _rows: list[Row] = field(default_factory=list)
    _own: list[tuple[Entry, Actor]] = field(default_factory=list)
    _blobs: dict[str, Any] = field(default_factory=dict)
    _shown: set[str] = field(default_factory=set)
    _after: list[Callable[[], None]] = field(default_factory=list)

    def write(self, case: Case, entry: Entry, actor: Actor, cause: int | None = None) -> int:
        """Adds a row to the case's timeline and gives its seq."""
        row = make_row(
            case_id=case.id,
            seq=case.seq + 1,
            prev_hash=case.hash,
            entry=entry,
            actor=actor,
            cause=cause,
            at=clock.now(),
        )
        case.seq, case.hash = row.seq, row.hash
        self._rows.append(row)
        self._shown.add(case.id)
        return row.seq

    def write_own(self, entry: Entry, actor: Actor) -> None:
        """Adds a row that belongs to no case."""
        self._own.append((entry, actor))

    def keep(self, value: Any) -> str:
        """Stores a blob and gives its digest."""
        digest = chain.digest(value)
        self._blobs[digest] = value
        return digest

    def move(self, case: Case, to: State, why: str, cause: int | None, actor: Actor = DESK) -> None:
        """Raises IllegalTransition. A case that is there already stays, without a row."""
        before = State(case.state)
        if before == to:
            return
        check_transition(before, to)
        case.state = to.value
        self.write(case, CaseMoved(from_=before.value, to=to.value, why=why), actor, cause)

    def show(self, case: Case) -> None:
        """The case's view is told, also if no row of it was written."""
        self._shown.add(case.id)

    def after(self, wake: Callable[[], None]) -> None:
        """Called once the transaction is committed."""
        self._after.append(wake)

    def add_case(self, case: Case) -> None:
        self.session.add(case)
        for sibling in self.cases.values():
            self.show(sibling)
        self.cases[case.id] = case

    async def close(self, names: Mapping[str, Names]) -> tuple[int, int, list[bytes]]:
        """Writes everything and gives the first cursor, the number of rows, and what listeners are told."""
        await self.session.flush()
        if self._blobs:
            await keep_blobs(self.session, self._blobs)
        everyone = list(self.cases.values())
        views = await views_of(self.session, [case for case in everyone if case.id in self._shown], everyone, names)
        rows = self._rows
        if self._own:
            rows = [*rows, *await own_rows(self.session, self._own)]
        if not rows:
            return 0, 0, []
        first = await append(self.session, rows)
        messages = [row_message(first + place, row.case_id, row.text) for place, row in enumerate(rows)]
        return first, len(rows), [*messages, *(view_message(dumps(view)) for view in views)]

    def wake(self) -> None:
        for wake in self._after:
            wake()


class Dockets:
    """Where transactions over cases begin."""

    def __init__(
        self, *, db: Database, broadcast: Broadcast, names: Mapping[str, Names], on_outage: Callable[[], None]
    ) -> None:
        """`on_outage`: a transaction met an outage; it may have been committed without anybody being woken."""
        self._db = db
        self._on_outage = on_outage
        self._broadcast = broadcast
        self._names = names

    @asynccontextmanager
    async def of_record(
        self, record_id: str | ScalarSelect[str] | None, *, alone: bool = False
    ) -> AsyncIterator[Docket]:
        """None: a docket without cases, for what belongs to none. A subquery may say which record it is.

        `alone`: also among those who may open cases of the record, where there are no rows yet to lock.
        """
        if isinstance(record_id, str):
            opened = self._open(_OF_RECORD, {"record_id": record_id}, record_id if alone else None)
        else:
            opened = self._open(None if record_id is None else _CASES.where(Case.record_id == record_id))
        async with opened as docket:
            yield docket

    @asynccontextmanager
    async def of_case(self, case_id: str) -> AsyncIterator[Docket]:
        async with self._open(_OF_CASE, {"case_id": case_id}) as docket:
            yield docket

    @asynccontextmanager
    async def _open(
        self, which: Select[Case] | None, of: Mapping[str, str] = NOTHING, alone_on: str | None = None
    ) -> AsyncIterator[Docket]:
        try:
            async with self._transaction(which, of, alone_on) as (docket, told):
                yield docket
        except Exception as error:
            if is_outage(error):
                self._on_outage()
            raise
        if told.count:
            self._broadcast.publish(told.first, told.count, told.messages)
        docket.wake()

    @asynccontextmanager
    async def _transaction(
        self, which: Select[Case] | None, of: Mapping[str, str], alone_on: str | None
    ) -> AsyncIterator[tuple[Docket, "_Told"]]:
        told = _Told()
        async with self._db.transaction() as session:
            if alone_on is not None:
                # before any row of the record is locked, and by nobody after that: so nobody waits crosswise
                await session.execute(_ALONE, {"record_id": alone_on})
            cases: dict[str, Case] = {}
            if which is not None:
                cases = {case.id: case for case in await session.scalars(which, of)}
            docket = Docket(session, cases)
            yield docket, told
            told.first, told.count, told.messages = await docket.close(self._names)


@dataclass(slots=True)
class _Told:
    """What a committed transaction tells its listeners."""

    first: int = 0
    count: int = 0
    messages: list[bytes] = field(default_factory=list)
