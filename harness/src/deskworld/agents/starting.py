"""Starting an agent by its name, and stopping it."""

import asyncio
import difflib
import importlib
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from deskworld.agents import controls
from deskworld.agents.cast import Cast
from deskworld.agents.faulty import FAULTY
from deskworld.agents.oracle import oracle
from deskworld.errors import StackUnavailable, UsageWrong
from deskworld.values.stack import Stack
from deskworld_agent.door import agent_door
from deskworld_agent.errors import DoorFailed
from deskworld_agent.playbook import playbook
from deskworld_agent.work import Act, work

BUILT_IN: dict[str, Callable[[Cast], Act]] = {
    "playbook": lambda _: playbook(),
    "oracle": lambda cast: oracle(cast.script),
    **FAULTY,
}
ATTACHED = "none"
NAMES = (*BUILT_IN, *controls.CONTROLS, ATTACHED)


@asynccontextmanager
async def working(agent: str, stack: Stack, *, side_by_side: int) -> AsyncIterator[Cast]:
    """The agent works while this is open. Raises UsageWrong for a name that nobody has, StackUnavailable."""
    cast = Cast()
    if agent == ATTACHED:
        yield cast
        return
    act = chosen(agent, cast)
    stop = asyncio.Event()
    async with agent_door(
        stack.agent_door, token_url=stack.token_url, secret=stack.secrets.agent_client, name=agent
    ) as door:
        try:
            await door.sign_in()
        except DoorFailed as failed:
            raise StackUnavailable(f"the agent cannot sign in: {failed}", next_step="`harness status`") from failed
        working_on = asyncio.create_task(work(door, act, stop=stop, side_by_side=side_by_side))
        try:
            yield cast
        except BaseException:
            working_on.cancel()
            raise
        finally:
            stop.set()
            await asyncio.gather(working_on, return_exceptions=True)
        working_on.result()


def check(agent: str) -> None:
    """Raises UsageWrong for a name that nobody has."""
    if agent != ATTACHED:
        chosen(agent, Cast())


def chosen(agent: str, cast: Cast) -> Act:
    """`module:function` is looked for where the harness was called, too. Raises UsageWrong."""
    if agent in BUILT_IN:
        return BUILT_IN[agent](cast)
    if agent in controls.CONTROLS:
        return controls.CONTROLS[agent]
    module, colon, function = agent.partition(":")
    if not colon:
        near = difflib.get_close_matches(agent, NAMES, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise UsageWrong(
            f"there is no agent {agent!r}", next_step=f"{hint}there are: {', '.join(NAMES)}, module:function"
        )
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageWrong(
            f"the agent {agent!r} cannot be imported: {error}", next_step="name it as module:function"
        ) from error
    if not callable(found):
        raise UsageWrong(f"{agent!r} is no function", next_step="an agent is an async function that gets a turn")
    act: Act = found
    return act
