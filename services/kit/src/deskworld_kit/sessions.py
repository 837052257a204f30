"""ORM sessions whose statements go straight to the driver.

What SQLAlchemy does for one execution costs many times what the driver needs: a greenlet, contexts, a cursor, a result.
A `LeanSession` runs a statement that has a plan on asyncpg itself and hands out entities of SQLAlchemy's own identity
map, so that changes are found and flushed as ever. Whatever has no plan goes SQLAlchemy's way, on the same connection
and in the same transaction.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import bindparam, exc, select
from sqlalchemy.engine import IteratorResult
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import class_mapper, make_transient_to_detached
from sqlalchemy.orm.attributes import set_committed_value
from sqlalchemy.sql.base import Executable

from deskworld_kit.database import AS_ONE, Database, database
from deskworld_kit.flushing import flush
from deskworld_kit.lean import LeanConnection
from deskworld_kit.lending import LeanEngine
from deskworld_kit.plans import Plan, Whole, constant, planned


class LeanSession(AsyncSession):
    """Errors of a statement that went straight to the driver are the driver's own; `outage` knows both."""

    def __init__(self, connection: LeanConnection) -> None:
        super().__init__(bind=connection, expire_on_commit=False)
        self._driver = connection.driver

    async def execute(self, statement: Any, params: Any = None, **options: Any) -> Any:
        plan, records = await self._run(statement, params, options)
        if plan is None:
            return await super().execute(statement, params, **options)
        return IteratorResult(plan.names_of(records), iter([self._row(plan, record) for record in records]))

    async def scalars(self, statement: Any, params: Any = None, **options: Any) -> Any:
        return (await self.execute(statement, params, **options)).scalars()

    async def scalar(self, statement: Any, params: Any = None, **options: Any) -> Any:
        plan, records = await self._run(statement, params, options)
        if plan is None:
            return await super().scalar(statement, params, **options)
        return self._row(plan, records[0])[0] if records else None

    async def get(self, entity: Any, ident: Any, **options: Any) -> Any:
        if options:
            return await super().get(entity, ident, **options)
        mapper = class_mapper(entity)
        identity = ident if isinstance(ident, tuple) else (ident,)
        known = self.sync_session.identity_map.get(mapper.identity_key_from_primary_key(identity))
        if known is not None:
            return known
        key = {column.key: value for column, value in zip(mapper.primary_key, identity, strict=True)}
        return await self.scalar(_by_key(entity), key)

    async def get_one(self, entity: Any, ident: Any, **options: Any) -> Any:
        found = await self.get(entity, ident, **options)
        if found is None:
            raise exc.NoResultFound("No row was found when one was required")
        return found

    async def flush(self, objects: Any = None) -> None:
        if objects is not None or self.sync_session.deleted:
            await super().flush(objects)
            return
        await flush(self.sync_session, self._driver.fetch)

    async def _run(self, statement: Any, params: Any, options: Any) -> tuple[Plan | None, Sequence[Any]]:
        """No plan: nothing was run."""
        if options or isinstance(params, list):
            return None, ()
        found = planned(statement, params)
        if found is None:
            await self.flush()
            return None, ()
        plan, sql, arguments = found
        await self._flush_before(plan)
        return plan, await self._driver.fetch(sql, *arguments)

    async def _flush_before(self, plan: Plan) -> None:
        """A statement sees what was changed before it, in the tables that it is about."""
        session = self.sync_session
        changed = [*session.new, *session.dirty]
        if changed and (plan.tables is None or any(one.__tablename__ in plan.tables for one in changed)):
            await self.flush()

    def _row(self, plan: Plan, record: Any) -> Sequence[Any]:
        values = plan.row(record)
        if plan.names is None:
            return values
        return [
            self._entity(part, values, refresh=plan.locks) if isinstance(part, Whole) else values[part]
            for part in plan.parts
        ]

    def _entity(self, whole: Whole, values: Sequence[Any], *, refresh: bool) -> Any:
        identity = tuple(values[place] for place in whole.identity)
        if None in identity:
            return None  # of an outer join
        own = zip(whole.keys, values[whole.start : whole.end], strict=True)
        known = self.sync_session.identity_map.get(whole.mapper.identity_key_from_primary_key(identity))
        if known is None:
            entity: Any = whole.mapper.class_manager.new_instance()
            entity.__dict__.update(own)
            make_transient_to_detached(entity)
            self.add(entity)
            return entity
        if refresh:
            for key, value in own:
                set_committed_value(known, key, value)
        return known


@cache
def _by_key(entity: Any) -> Executable:
    own = (column == bindparam(column.key, type_=column.type) for column in class_mapper(entity).primary_key)
    return constant(select(entity).where(*own))


@dataclass(frozen=True, slots=True)
class LeanDatabase(Database):
    """As another Database; its transactions have lean sessions."""

    lean: LeanEngine

    async def close(self) -> None:
        await self.lean.dispose()

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncSession]:
        async with self.lean.begun() as connection, self._session(connection) as session:
            yield session

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[AsyncSession]:
        how = "BEGIN ISOLATION LEVEL REPEATABLE READ"
        async with self.lean.begun(how) as connection, self._session(connection) as session:
            session.info[AS_ONE] = True
            yield session

    @asynccontextmanager
    async def _session(self, connection: LeanConnection) -> AsyncIterator[AsyncSession]:
        session = LeanSession(connection)
        try:
            yield session
            await session.flush()
        finally:
            # nothing is sent: the connection is in autocommit as far as SQLAlchemy knows, and is not the session's
            session.sync_session.close()


def lean_database(url: str, *, pool: int = 5, overflow: int = 15) -> LeanDatabase:
    held = database(url, pool=pool, overflow=overflow)
    return LeanDatabase(held.engine, held.sessions, LeanEngine.of(held.engine))
