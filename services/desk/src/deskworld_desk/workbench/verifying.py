"""Changes of a party's particulars: shown as the system of record shows them, and verified there, as the caller.

The desk keeps nothing of it and passes the person's own token on: the system of record says who may.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from pydantic import BaseModel, ValidationError

from deskworld_desk.changes import Changes, SaidNo, Step
from deskworld_desk.desk import Desk
from deskworld_desk.world import Unreachable
from deskworld_kit.problems import Problem

AWAY = "the system of record does not answer; try again: a step under the same key is taken once"


def changes_of(desk: Desk) -> Changes:
    """Of the one world that has any."""
    found = next((world.changes for world in desk.worlds.values() if world.changes is not None), None)
    if found is None:
        raise Problem(404, "NOT_FOUND", "nothing of this kind is verified here")
    return found


async def listed(desk: Desk, token: str, *, cursor: str | None = None, done_too: bool = False) -> dict[str, Any]:
    """Raises Problem as the system of record says, 503."""
    async with _said():
        return await changes_of(desk).listed(token, cursor, done_too)


async def one(desk: Desk, change_id: str, token: str) -> dict[str, Any]:
    async with _said():
        found = await changes_of(desk).one(change_id, token)
    if found is None:
        raise Problem(404, "NOT_FOUND", f"there is no bank change {change_id}")
    return found


async def take(desk: Desk, change_id: str, step: str, body: BaseModel, *, token: str, key: str) -> dict[str, Any]:
    async with _said():
        return await changes_of(desk).take(Step(change_id, step, body.model_dump(exclude_none=True), key), token)


def body_of(desk: Desk, step: str, fields: dict[str, Any]) -> BaseModel:
    """Raises Problem 400, naming the field."""
    try:
        return changes_of(desk).steps[step].model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise Problem(400, "INVALID_REQUEST", f"{field}: {first['msg']}", field=field) from error


@asynccontextmanager
async def _said() -> AsyncIterator[None]:
    try:
        yield
    except SaidNo as no:
        raise Problem(no.status, no.code, no.detail, **no.values) from no
    except Unreachable as error:
        raise Problem(503, "UNAVAILABLE", AWAY, headers={"Retry-After": "1"}) from error
