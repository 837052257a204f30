"""Statements that never change, compiled once and run on the driver itself.

SQLAlchemy's execution costs ten times what the driver's does: a greenlet, a cache key, a context and a result for each
call. A service registers the statements of its busiest paths with `fixed`; whatever is not registered goes SQLAlchemy's
way, on the same connection and in the same transaction. The answers look alike.
"""

from collections import namedtuple
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from asyncpg.exceptions import InterfaceError, InternalClientError, PostgresError
from sqlalchemy import exc
from sqlalchemy.dialects.postgresql import asyncpg as dialects
from sqlalchemy.engine import CursorResult
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.sql.base import Executable

Statement = TypeVar("Statement", bound=Executable)
Converter = Callable[[Any], Any]
NUMERIC = 1700
"""The server's id of the type; only numbers ask for one."""
FAILURES = (PostgresError, InterfaceError, InternalClientError, OSError)
_DIALECT = cast("Any", dialects.dialect)(dbapi=cast("Any", dialects.dialect).import_dbapi())
_REGISTERED: dict[int, tuple[Executable, "_Compiled"]] = {}


def fixed(statement: Statement) -> Statement:
    """Registers a statement whose values all are named parameters. It is kept for good: call it for constants alone."""
    _REGISTERED[id(statement)] = (statement, _compile(statement))
    return statement


@dataclass(frozen=True, slots=True)
class _Compiled:
    sql: str
    parameters: tuple[tuple[str, Any, Converter | None], ...]
    """name, the value where the call gives none, how a value is put."""
    row: type[Any] | None
    columns: tuple[Converter | None, ...]

    def arguments(self, given: Mapping[str, Any]) -> list[Any]:
        found = []
        for name, otherwise, put in self.parameters:
            value = given.get(name, otherwise)
            found.append(value if put is None else put(value))
        return found

    def read(self, record: Sequence[Any]) -> Any:
        assert self.row is not None  # noqa: S101 - only what answers rows is read
        return self.row(
            *(value if get is None else get(value) for value, get in zip(record, self.columns, strict=True))
        )


def _compile(statement: Executable) -> _Compiled:
    compiled = cast("Any", statement).compile(dialect=_DIALECT)
    if compiled.post_compile_params:
        raise ValueError("a list of values makes another statement for each length: it cannot be fixed")
    put = compiled._bind_processors  # noqa: SLF001 - SQLAlchemy has no public name for what its own execution uses
    columns = compiled._result_columns or ()  # noqa: SLF001 - as above
    values = compiled.construct_params(_check=False)
    rows = getattr(compiled.statement, "is_select", False) or bool(getattr(compiled, "effective_returning", None))
    names = [column.keyname for column in columns]
    return _Compiled(
        sql=str(compiled),
        parameters=tuple((name, values.get(name), put.get(name)) for name in compiled.positiontup or ()),
        row=_row_type(names) if rows else None,
        columns=tuple(column.type.dialect_impl(_DIALECT).result_processor(_DIALECT, NUMERIC) for column in columns),
    )


def _row_type(names: Sequence[str]) -> type[Any]:
    return type("Row", (namedtuple("Row", names, rename=True),), {"__slots__": (), "_mapping": property(_mapping)})


def _mapping(row: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", row._asdict())


class Answer:
    """What `fixed` statements answer with: the part of SQLAlchemy's result that services use."""

    __slots__ = ("_rows", "rowcount")

    def __init__(self, rows: list[Any], rowcount: int) -> None:
        self._rows = rows
        self.rowcount = rowcount

    def __iter__(self) -> Iterator[Any]:
        return iter(self._rows)

    def all(self) -> list[Any]:
        return self._rows

    def first(self) -> Any:
        return self._rows[0] if self._rows else None

    def one(self) -> Any:
        """Raises sqlalchemy.exc.NoResultFound, MultipleResultsFound."""
        if not self._rows:
            raise exc.NoResultFound("No row was found when one was required")
        if len(self._rows) > 1:
            raise exc.MultipleResultsFound("Multiple rows were found when exactly one was required")
        return self._rows[0]

    def scalar(self) -> Any:
        return self._rows[0][0] if self._rows else None

    def scalar_one(self) -> Any:
        return self.one()[0]


class LeanConnection(AsyncConnection):
    """As SQLAlchemy's, in autocommit; `transaction` makes one of several statements."""

    @property
    def driver(self) -> Any:
        assert self.sync_connection is not None  # noqa: S101 - it was started by whoever lent it
        return self.sync_connection.connection.driver_connection

    async def execute(self, statement: Any, parameters: Any = None, **options: Any) -> CursorResult[Any]:
        known = _REGISTERED.get(id(statement))
        if known is None or isinstance(parameters, list) or options:
            return cast("CursorResult[Any]", await super().execute(statement, parameters, **options))
        compiled = known[1]
        arguments = compiled.arguments(parameters or {})
        try:
            if compiled.row is None:
                status = await self.driver.execute(compiled.sql, *arguments)
                return cast("CursorResult[Any]", Answer([], int(status.rpartition(" ")[2])))
            records = await self.driver.fetch(compiled.sql, *arguments)
        except FAILURES as error:
            raise self._translated(error, compiled.sql) from error
        return cast("CursorResult[Any]", Answer([compiled.read(one) for one in records], len(records)))

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """Commits when the block ends, rolls back when it raises."""
        driver = self.driver  # SQLAlchemy gives none any more once it has seen its connection lost
        begun = driver.transaction()
        try:
            await begun.start()
        except FAILURES as error:
            raise self._translated(error, "BEGIN") from error
        try:
            yield
        except BaseException:
            if not driver.is_closed():
                await _roll_back(begun, driver)
            raise
        try:
            await begun.commit()
        except FAILURES as error:
            raise self._translated(error, "COMMIT") from error

    def _translated(self, error: Exception, sql: str) -> Exception:
        """As SQLAlchemy would raise it, so that a caller need not know which way a statement went."""
        if isinstance(error, OSError):
            return error
        assert self.sync_connection is not None  # noqa: S101 - as above
        errors: Any = _DIALECT.loaded_dbapi
        kinds = errors._asyncpg_error_translate  # noqa: SLF001 - the dialect's own table
        kind = next((kinds[one] for one in type(error).__mro__ if one in kinds), None)
        translated = errors.Error(str(error)) if kind is None else kind(str(error), error)
        translated.__cause__ = error
        raised: Exception = exc.DBAPIError.instance(
            sql,
            None,
            translated,
            errors.Error,
            hide_parameters=True,
            connection_invalidated=self.driver.is_closed(),
            dialect=_DIALECT,
        )
        return raised


async def _roll_back(begun: Any, driver: Any) -> None:
    """What made the block end is what is raised. A connection that cannot roll back is given up, and with it what it
    began: nobody may be lent it in the middle of a transaction."""
    try:
        await begun.rollback()
    except FAILURES:
        driver.terminate()


class LeanEngine(AsyncEngine):
    """The pool of another engine, lent as LeanConnections."""

    _connection_cls = LeanConnection

    @asynccontextmanager
    async def lent(self) -> AsyncIterator[LeanConnection]:
        async with self.connect() as connection:
            yield cast("LeanConnection", connection)

    @classmethod
    def of(cls, engine: AsyncEngine) -> "LeanEngine":
        return cls(engine.sync_engine.execution_options(isolation_level="AUTOCOMMIT"))
