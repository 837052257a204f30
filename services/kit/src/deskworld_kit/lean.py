"""Statements that never change, compiled once and run on the driver itself.

SQLAlchemy's execution costs ten times what the driver's does: a greenlet, a cache key, a context and a result for each
call. A service registers the statements of its busiest paths with `fixed`; whatever is not registered goes SQLAlchemy's
way, on the same connection and in the same transaction. The answers look alike. `lending` says who has a
connection when.
"""

from collections import namedtuple
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from asyncpg.exceptions import InterfaceError, InternalClientError, PostgresError
from sqlalchemy import exc
from sqlalchemy.engine import CursorResult
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.base import Executable

from deskworld_kit.compiling import DIALECT, Converter, getters, putters, selected
from deskworld_kit.literals import literal

Statement = TypeVar("Statement", bound=Executable)
Sent = tuple[Executable, Mapping[str, Any]]
"""A fixed statement and its values."""
FAILURES = (PostgresError, InterfaceError, InternalClientError, OSError)
_REGISTERED: dict[int, tuple[Executable, "_Compiled"]] = {}


def fixed(statement: Statement, *, name: str = "") -> Statement:
    """Registers a statement whose values all are named parameters. It is kept for good: call it for constants alone.

    `name`: for a statement that is sent together with others: the database shows it under this name. Raises ValueError
    for a name that another statement has."""
    if name and any(known.name == name for _, known in _REGISTERED.values()):
        raise ValueError(f"two statements are named {name}: each connection knows one of a name")
    _REGISTERED[id(statement)] = (statement, _compile(statement, name))
    return statement


@dataclass(frozen=True, slots=True)
class _Compiled:
    name: str
    """What a connection calls it that has prepared it, to be sent together with other statements."""
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


def _compile(statement: Executable, name: str) -> _Compiled:
    compiled = cast("Any", statement).compile(dialect=DIALECT)
    if compiled.post_compile_params:
        raise ValueError("a list of values makes another statement for each length: it cannot be fixed")
    put, columns = putters(compiled), selected(compiled)
    values = compiled.construct_params(_check=False)
    rows = getattr(compiled.statement, "is_select", False) or bool(getattr(compiled, "effective_returning", None))
    names = [column.keyname for column in columns]
    return _Compiled(
        name=name,
        sql=str(compiled),
        parameters=tuple((name, values.get(name), put.get(name)) for name in compiled.positiontup or ()),
        row=_row_type(names) if rows else None,
        columns=getters(columns),
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
    """As SQLAlchemy's, in autocommit. It stays started from one use to the next."""

    driver: Any
    """asyncpg's own connection: SQLAlchemy gives none any more once it has seen it lost."""
    _prepared: set[str]
    found: int
    """How many rows the statement wrote or found that its transaction began with."""
    committed: bool
    """Whether the transaction that it is lent in has been committed already."""

    async def start(self, is_ctxmanager: bool = False) -> "LeanConnection":  # noqa: FBT001, FBT002 - SQLAlchemy's own
        await super().start(is_ctxmanager)
        assert self.sync_connection is not None  # noqa: S101 - it was started
        self.driver = self.sync_connection.connection.driver_connection
        self._prepared = self.sync_connection.info.setdefault("prepared", set())
        return self

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
            raise self.translated(error, compiled.sql) from error
        return cast("CursorResult[Any]", Answer([compiled.read(one) for one in records], len(records)))

    async def begin_as(self, how: str, first: Sent | None) -> None:
        """With a fixed statement it is one trip, and the transaction is begun when that is done. Raises what the driver
        does."""
        self.committed, self.found = False, 0
        if first is None:
            await self.driver.execute(how)
            return
        statement, values = first
        status = await self.driver.execute(f"{how}; {await self._call(_REGISTERED[id(statement)][1], values)}")
        self.found = int(status.rpartition(" ")[2])

    async def commit_begun(self) -> None:
        await self._commit("COMMIT", said="COMMIT")

    async def commit_with(self, *sent: Sent) -> None:
        """Fixed statements and the commit in one trip: what they lock is free again before we hear of it. When the
        server refuses one of them nothing is committed."""
        known = [(_REGISTERED[id(statement)][1], values) for statement, values in sent]
        said = "; ".join(compiled.sql for compiled, _ in known)
        try:
            calls = [await self._call(compiled, values) for compiled, values in known]
        except FAILURES as error:
            raise self.translated(error, said) from error
        await self._commit("; ".join([*calls, "COMMIT"]), said=said)

    async def _call(self, compiled: "_Compiled", values: Mapping[str, Any]) -> str:
        """SQL that runs a fixed statement, for the protocol that takes several at once and no values beside them."""
        assert compiled.name, compiled.sql  # noqa: S101 - what is sent is registered with a name
        if compiled.name not in self._prepared:
            await self.driver.execute(f"PREPARE {compiled.name} AS {compiled.sql}")
            self._prepared.add(compiled.name)
        return f"EXECUTE {compiled.name}({', '.join(map(literal, compiled.arguments(values)))})"

    async def _commit(self, sql: str, *, said: str) -> None:
        """A transaction of which nobody knows how it ended ends with its connection."""
        try:
            status = await self.driver.execute(sql)
        except BaseException as error:
            if not isinstance(error, PostgresError):
                self.driver.terminate()
            if isinstance(error, FAILURES):
                raise self.translated(error, said) from error
            raise
        if status != "COMMIT":
            raise RuntimeError(f"COMMIT was answered {status}: a statement of the transaction had failed")
        self.committed = True

    def translated(self, error: Exception, sql: str) -> Exception:
        """As SQLAlchemy would raise it, so that a caller need not know which way a statement went. `sql` holds no
        values: it is written down with the error."""
        if isinstance(error, OSError):
            return error
        errors: Any = DIALECT.loaded_dbapi
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
            dialect=DIALECT,
        )
        return raised
