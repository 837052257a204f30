"""What SQLAlchemy's own execution does with the values of a compiled statement, for those who run it on the driver."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from sqlalchemy.dialects.postgresql import asyncpg as dialects
from sqlalchemy.sql.compiler import SQLCompiler

Converter = Callable[[Any], Any]
DIALECT = cast("Any", dialects.dialect)(dbapi=cast("Any", dialects.dialect).import_dbapi())
_NUMERIC = 1700
"""The server's id of the type; only numbers ask for one."""


def selected(compiled: SQLCompiler) -> Sequence[Any]:
    """The columns that it answers with."""
    return compiled._result_columns or ()  # noqa: SLF001 - SQLAlchemy has no public name for what its own execution uses


def putters(compiled: SQLCompiler) -> Mapping[str, Any]:
    """How a value is put, by name; a value that is missing here is sent as it is."""
    return cast("Mapping[str, Any]", compiled._bind_processors)  # noqa: SLF001 - as above


def getters(columns: Sequence[Any]) -> tuple[Converter | None, ...]:
    """How the value of each column is read; None where it is what the driver gives."""
    return tuple(column.type.dialect_impl(DIALECT).result_processor(DIALECT, _NUMERIC) for column in columns)
