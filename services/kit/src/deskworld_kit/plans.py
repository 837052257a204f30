"""How a statement is run on the driver: compiled by SQLAlchemy once for all values, and read back as SQLAlchemy would.

`planned` says None of a statement whose execution is more than its SQL: SQLAlchemy executes that one. A statement that
never changes is registered with `constant`: it is not even looked up by what it says.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from sqlalchemy import Table
from sqlalchemy.engine.result import SimpleResultMetaData
from sqlalchemy.orm import Mapper, class_mapper
from sqlalchemy.orm.exc import UnmappedClassError
from sqlalchemy.schema import Column
from sqlalchemy.sql import visitors
from sqlalchemy.sql.base import Executable
from sqlalchemy.sql.compiler import SQLCompiler

from deskworld_kit.compiling import DIALECT, Converter, getters, putters, selected

Statement = TypeVar("Statement", bound=Executable)
MOST = 1_000
"""Compiled statements are few: values are no part of them. Beyond this somebody writes values into statements."""
_COMPILED: dict[Any, Any] = {}
_PLANS: dict[SQLCompiler, "Plan | None"] = {}
_CONSTANT: dict[int, tuple[Executable, "Plan | None"]] = {}


@dataclass(frozen=True, slots=True)
class Whole:
    """Columns of the row, from `start`, that are one entity."""

    mapper: Mapper[Any]
    start: int
    keys: tuple[str, ...]
    identity: tuple[int, ...]
    """Where in the row its primary key stands."""

    @property
    def end(self) -> int:
        return self.start + len(self.keys)


@dataclass(frozen=True, slots=True)
class Plan:
    compiled: SQLCompiler
    sql: str
    places: Sequence[str]
    """Names of the values, in the order in which the SQL wants them."""
    put: Mapping[str, Any]
    values: Mapping[str, Any]
    """Those that the statement holds, where they are a part of it; what is to be given is not among them."""
    names: SimpleResultMetaData | None
    parts: tuple[Whole | int, ...]
    """What an answered row is made of: an entity, or the column at this place. Of a text only the server knows."""
    converters: tuple[tuple[int, Converter], ...]
    tables: frozenset[str] | None
    """What it reads or changes; None when that is not known."""
    locks: bool
    """Whoever locks rows wants them as they are now."""

    def call(self, given: Mapping[str, Any]) -> tuple[str, list[Any]]:
        """The SQL, and what it is sent with. Raises KeyError when a value is not given."""
        return self.sql, _converted(self.places, {**self.values, **given}, self.put)

    def call_with(self, given: Mapping[str, Any] | None, extracted: Any, collected: Any) -> tuple[str, list[Any]]:
        """The same with the values that a statement like it holds."""
        compiled = self.compiled
        found = compiled.construct_params(
            given, extracted_parameters=extracted, escape_names=False, _collected_params=collected
        )
        if not compiled.post_compile_params:
            return self.sql, _converted(self.places, found, self.put)
        sql, places, values, put = _expanded(compiled, found)
        return sql, _converted(places, values, put)

    def names_of(self, records: Sequence[Any]) -> SimpleResultMetaData:
        if self.names is not None:
            return self.names
        return SimpleResultMetaData(list(records[0].keys()) if records else ["none"])

    def row(self, record: Sequence[Any]) -> Sequence[Any]:
        """A record of the driver with its values as Python's."""
        if not self.converters:
            return tuple(record)
        values = list(record)
        for place, convert in self.converters:
            values[place] = convert(values[place])
        return values


def constant(statement: Statement) -> Statement:
    """Registers a statement for good. What it is given are named parameters; its other values are a part of it."""
    _CONSTANT[id(statement)] = (statement, None)
    return statement


def planned(statement: Executable, given: Mapping[str, Any] | None) -> tuple[Plan, str, list[Any]] | None:
    """How it is run: the plan, the SQL and its arguments."""
    registered = _CONSTANT.get(id(statement))
    if registered is not None:
        plan = registered[1]
        if plan is None:
            plan = of(statement)
            _CONSTANT[id(statement)] = (statement, plan)
        return (plan, *plan.call(given or {}))
    if len(_COMPILED) > MOST:
        _COMPILED.clear()
        _PLANS.clear()
    compiled, extracted, collected, _ = cast("Any", statement)._compile_w_cache(  # noqa: SLF001 - what it compiles for
        DIALECT, compiled_cache=_COMPILED, column_keys=[]
    )
    if compiled not in _PLANS:
        _PLANS[compiled] = _plan(statement, compiled, None) if compiled.cache_key is not None else None
    found = _PLANS[compiled]
    return None if found is None else (found, *found.call_with(given, extracted, collected))


def of(statement: Executable, written: Sequence[str] | None = None) -> Plan:
    """The plan of a statement that never changes; `written`: the columns that an insert or an update is to set.

    Raises TypeError where SQLAlchemy would have to execute it.
    """
    compiled = cast("Any", statement).compile(dialect=DIALECT, column_keys=written)
    plan = _plan(statement, compiled, compiled.construct_params(_check=False, escape_names=False))
    if plan is None:
        raise TypeError(f"more than SQL is needed to execute it: {statement}")
    return plan


def _plan(statement: Any, compiled: SQLCompiler, values: Mapping[str, Any] | None) -> Plan | None:
    """`values`: those that are a part of the statement; None where only the next one like it says."""
    if compiled.insert_prefetch or compiled.update_prefetch:
        return None
    if not (compiled.isplaintext or getattr(statement, "is_select", False) or _changes_rows_alone(statement)):
        return None
    columns = selected(compiled)
    parts = _parts(statement, columns)
    if parts is None:
        return None
    kinds = getters(columns)
    sql, places, own, put = compiled.string, list(compiled.positiontup or ()), dict(values or {}), putters(compiled)
    if values is not None and compiled.post_compile_params:
        sql, places, own, put = _expanded(compiled, values)
    to_give = {name for bind, name in compiled.bind_names.items() if bind.required}
    return Plan(
        compiled=compiled,
        sql=sql,
        places=places,
        put=put,
        values={name: value for name, value in own.items() if name not in to_give},
        names=None if compiled.isplaintext else SimpleResultMetaData(_names(statement, columns)),
        parts=parts,
        converters=tuple((place, kind) for place, kind in enumerate(kinds) if kind is not None),
        tables=None if compiled.isplaintext else frozenset(_tables(statement)),
        locks=getattr(statement, "_for_update_arg", None) is not None,
    )


def _expanded(
    compiled: SQLCompiler, values: Mapping[str, Any]
) -> tuple[str, list[str], dict[str, Any], Mapping[str, Any]]:
    """With a place for each value of a list."""
    state = compiled.construct_expanded_state(dict(values), escape_names=False)
    put = {**putters(compiled), **state.processors}
    return state.statement, list(state.positiontup or ()), {**values, **state.parameters}, put


def _converted(places: Sequence[str], values: Mapping[str, Any], put: Mapping[str, Any]) -> list[Any]:
    return [values[name] if (way := put.get(name)) is None else way(values[name]) for name in places]


def _changes_rows_alone(statement: Any) -> bool:
    """Not the entities that a session holds of them: inserts, and changes that say so."""
    if getattr(statement, "is_insert", False):
        return True
    return bool(statement.get_execution_options().get("synchronize_session", True) is False)


def _described(statement: Any) -> Sequence[Any] | None:
    """What a select selects, entities among it."""
    return getattr(statement, "column_descriptions", None) if getattr(statement, "is_select", False) else None


def _parts(statement: Any, columns: Sequence[Any]) -> tuple[Whole | int, ...] | None:
    described = _described(statement)
    if described is None:
        return tuple(range(len(columns)))
    parts: list[Whole | int] = []
    place = 0
    for one in described:
        if one.get("aliased"):
            return None
        if isinstance(one["expr"], type):
            whole = _whole(one["expr"], columns, place)
            if whole is None:
                return None
            parts.append(whole)
            place = whole.end
        else:
            parts.append(place)
            place += 1
    return tuple(parts) if place == len(columns) else None


def _whole(kind: type[Any], columns: Sequence[Any], start: int) -> Whole | None:
    try:
        mapper = class_mapper(kind)
    except UnmappedClassError:
        return None
    own = columns[start : start + len(mapper.columns)]
    found = [one for column in own for one in column.objects if isinstance(one, Column)]
    keys = [mapper.get_property_by_column(one).key for one in found]
    if sorted(keys) != sorted(one.key for one in mapper.column_attrs):
        return None
    primary = [mapper.get_property_by_column(column).key for column in mapper.primary_key]
    return Whole(mapper, start, tuple(keys), tuple(start + keys.index(key) for key in primary))


def _names(statement: Any, columns: Sequence[Any]) -> list[str]:
    described = _described(statement)
    return [str(one.keyname) for one in columns] if described is None else [str(one["name"]) for one in described]


def _tables(statement: Any) -> set[str]:
    return {str(one.name) for one in visitors.iterate(statement) if isinstance(one, Table)}
