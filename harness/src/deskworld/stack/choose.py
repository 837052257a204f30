"""The order in which a stack is looked for; the choice and its reason are the first thing printed."""

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from deskworld.errors import StackUnavailable
from deskworld.stack import compose, dotenv, embedded, files, given
from deskworld.values.stack import Stack


@dataclass(frozen=True, slots=True)
class Chosen:
    stack: Stack
    why: str


@asynccontextmanager
async def chosen(
    named: Path | None, environment: Mapping[str, str] = os.environ, here: Path | None = None
) -> AsyncIterator[Chosen]:
    """What `found` finds → a stack of its own, stopped afterwards. Raises StackUnavailable."""
    one, met = await _look(named, environment, here or Path.cwd())
    if one is not None:
        yield one
        return
    async with embedded.started("run") as stack:
        yield Chosen(stack, f"an embedded stack of its own, {stack.id}, stopped afterwards" + (met and f" ({met})"))


async def found(
    named: Path | None, environment: Mapping[str, str] = os.environ, here: Path | None = None
) -> Chosen | None:
    """`--stack` or DESKWORLD_STACK or DESKWORLD_…_URL → what `harness up` left → the compose stack → None.

    Raises StackUnavailable. A stack file of a stack that is down is an error, not a reason to look further: whoever
    started it meant it.
    """
    return (await _look(named, environment, here or Path.cwd()))[0]


async def _look(named: Path | None, environment: Mapping[str, str], here: Path) -> tuple[Chosen | None, str]:
    file = named or (Path(environment["DESKWORLD_STACK"]) if environment.get("DESKWORLD_STACK") else None)
    if file is not None:
        return Chosen(_alive(file), f"the stack of {file}"), ""
    stack = given.stack(environment)
    if stack is not None:
        return Chosen(stack, f"the stack {stack.id} that the environment names"), ""
    file = files.running_file(environment=environment)
    if file.exists():
        stack = _alive(file)
        return Chosen(stack, f"the running stack {stack.id} of `harness up`"), ""
    stack, met = await compose.running(dotenv.settings(dotenv.home(here), environment))
    return (None, met) if stack is None else (Chosen(stack, f"the compose stack {stack.id} at {stack.desk}"), "")


def _alive(file: Path) -> Stack:
    stack = files.read(file)
    if stack.kind == "embedded" and not embedded.is_running(stack):
        raise StackUnavailable(
            f"{file} names a stack that is down (pid {stack.pid} is gone)",
            next_step="`harness down` forgets it, `harness up` starts it again",
        )
    return stack
