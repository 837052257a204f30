"""What a session has to write of its entities, as one statement each: inserts of new ones, updates of changed columns.

Statements are compiled once for each set of columns. For tables without relationships: rows are written in the order in
which they came to the session, new ones first.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import cache
from typing import Any, cast

from sqlalchemy import Column, bindparam, insert, inspect, update
from sqlalchemy.orm import InstanceState, Mapper, Session, make_transient_to_detached
from sqlalchemy.orm.exc import StaleDataError

from deskworld_kit.plans import Plan, of

Fetch = Callable[..., Awaitable[Sequence[Any]]]
_OWN = "own_"
"""Before the names of a primary key's values, so that they are not taken for what is set."""


async def flush(session: Session, fetch: Fetch) -> None:
    """`fetch` runs SQL with its arguments. Raises what it raises, and StaleDataError for a row that is gone; then
    nothing is known of what was written."""
    for entity in list(session.new):
        state = _state(entity)
        await _insert(state, fetch)
        session.expunge(entity)
        make_transient_to_detached(entity)
        session.add(entity)
    for entity in list(session.dirty):
        state = _state(entity)
        await _update(state, fetch)
        state._commit_all(state.dict, session.identity_map)  # noqa: SLF001 - as a flush of SQLAlchemy's own ends


def _state(entity: Any) -> InstanceState[Any]:
    return cast("InstanceState[Any]", inspect(entity))


async def _insert(state: InstanceState[Any], fetch: Fetch) -> None:
    values = state.dict
    for key, column in _columns(state.mapper).items():
        if key not in values and column.default is not None:
            default: Any = column.default
            setattr(state.obj(), key, default.arg(None) if default.is_callable else default.arg)
    keys = tuple(key for key in _columns(state.mapper) if key in values)
    plan, given = _inserting(state.mapper, keys)
    sql, arguments = plan.call({_columns(state.mapper)[key].key: values[key] for key in keys})
    for row in await fetch(sql, *arguments):
        values.update(zip(given, row, strict=True))


async def _update(state: InstanceState[Any], fetch: Fetch) -> None:
    """Only columns whose value is another one are written."""
    columns = _columns(state.mapper)
    changed = tuple(
        key for key in columns if key in state.committed_state and state.committed_state[key] != state.dict[key]
    )
    if not changed:
        return
    new = {columns[key].key: state.dict[key] for key in changed}
    own = {f"{_OWN}{column.key}": value for column, value in _identity(state)}
    sql, arguments = _updating(state.mapper, changed).call(new | own)
    if len(await fetch(sql, *arguments)) != 1:
        raise StaleDataError(f"a row of {state.mapper.class_.__tablename__} that was to be changed is gone")


def _identity(state: InstanceState[Any]) -> Iterable[tuple[Column[Any], Any]]:
    assert state.key is not None  # noqa: S101 - what is changed was read, or written
    return zip(cast("tuple[Column[Any], ...]", state.mapper.primary_key), state.key[1], strict=True)


@cache
def _columns(mapper: Mapper[Any]) -> dict[str, Column[Any]]:
    return {one.key: cast("Column[Any]", one.columns[0]) for one in mapper.column_attrs}


@cache
def _inserting(mapper: Mapper[Any], keys: tuple[str, ...]) -> tuple[Plan, tuple[str, ...]]:
    """With the keys of what the server gives."""
    columns = _columns(mapper)
    given = tuple(key for key, column in columns.items() if key not in keys and column.identity is not None)
    statement = insert(mapper.class_)
    if given:
        statement = statement.returning(*(columns[key] for key in given))
    return of(statement, [columns[key].key for key in keys]), given


@cache
def _updating(mapper: Mapper[Any], keys: tuple[str, ...]) -> Plan:
    columns = _columns(mapper)
    own = (column == bindparam(f"{_OWN}{column.key}", type_=column.type) for column in mapper.primary_key)
    statement = update(mapper.class_).where(*own).returning(*mapper.primary_key)
    statement = statement.execution_options(synchronize_session=False)
    return of(statement, [columns[key].key for key in keys])
