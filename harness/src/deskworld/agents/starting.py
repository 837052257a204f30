"""Starting an agent by its name, and stopping it."""

import asyncio
import difflib
import importlib
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from deskworld.agents import controls, models
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


def is_attached(agent: str) -> bool:
    """Whether it claims its turns by itself: `none`, or the address under which it is known."""
    return agent == ATTACHED or agent.startswith(("http://", "https://"))


@asynccontextmanager
async def working(
    agent: str | Act, stack: Stack, *, side_by_side: int, playbook: Path | None = None, model_concurrency: int = 4
) -> AsyncIterator[Cast]:
    """The agent works while this is open. `playbook` and `model_concurrency` are for a model.

    Raises UsageWrong for a name that nobody has, StackUnavailable.
    """
    cast = Cast()
    if isinstance(agent, str) and is_attached(agent):
        yield cast
        return
    model = agent if isinstance(agent, str) and models.is_model(agent) else None
    if model is not None:
        act = models.model(model, playbook, at_once=model_concurrency)
    else:
        act = chosen(agent, cast) if isinstance(agent, str) else agent
    stop = asyncio.Event()
    async with agent_door(
        stack.agent_door,
        token_url=stack.token_url,
        secret=stack.secrets.agent_client,
        name=agent if isinstance(agent, str) else named(agent),
        model=model,
        playbook=models.playbook_digest(playbook) if model is not None or agent == "playbook" else None,
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


def check(agent: str, playbook: Path | None = None) -> None:
    """Raises UsageWrong for a name that nobody has, a model that cannot be asked, a playbook that nobody reads."""
    if models.is_model(agent):
        models.model(agent, playbook, at_once=1)
        return
    if playbook is not None:
        raise UsageWrong(f"--playbook: {agent} reads none", next_step="it is for a model: --agent openai:NAME")
    if not is_attached(agent):
        chosen(agent, Cast())


def named(act: Act) -> str:
    """What the timeline calls a function."""
    return f"{getattr(act, '__module__', '')}:{getattr(act, '__qualname__', type(act).__name__)}"


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
            f"the agent {agent!r} cannot be imported: {error}", next_step=f"name it as module:function{models.HINT}"
        ) from error
    if not callable(found):
        raise UsageWrong(f"{agent!r} is no function", next_step="an agent is an async function that gets a turn")
    act: Act = found
    return act
