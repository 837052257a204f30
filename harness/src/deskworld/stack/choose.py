"""The order in which a stack is looked for; the choice and its reason are the first thing printed."""

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from deskworld.errors import StackUnavailable
from deskworld.stack import embedded, files
from deskworld.values.stack import Stack


@dataclass(frozen=True, slots=True)
class Chosen:
    stack: Stack
    why: str


@asynccontextmanager
async def chosen(given: Path | None, environment: Mapping[str, str] = os.environ) -> AsyncIterator[Chosen]:
    """`--stack` or DESKWORLD_STACK → what `harness up` left → a stack of its own, stopped afterwards.

    Raises StackUnavailable. A stack file of a stack that is down is an error, not a reason to look further: whoever
    started it meant it.
    """
    named = given or (Path(environment["DESKWORLD_STACK"]) if environment.get("DESKWORLD_STACK") else None)
    if named is not None:
        yield Chosen(files.read(named), f"the stack of {named}")
        return
    running = files.running_file()
    if running.exists():
        stack = files.read(running)
        if stack.kind == "embedded" and not embedded.is_running(stack):
            raise StackUnavailable(
                f"{running} names a stack that is down (pid {stack.pid} is gone)",
                next_step="`harness down` forgets it, `harness up` starts it again",
            )
        yield Chosen(stack, f"the running stack {stack.id} of `harness up`")
        return
    async with embedded.started("run") as stack:
        yield Chosen(stack, f"an embedded stack of its own, {stack.id}, stopped afterwards")
