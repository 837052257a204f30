"""Playing one case oneself."""

from enum import StrEnum
from typing import Annotated

import typer

from deskworld.cli.campaign import settings_from
from deskworld.cli.ending import finish, out
from deskworld.cli.options import StackFile, Switch, World
from deskworld.commands import playing_by_hand
from deskworld.commands.terminal import Terminal


class Who(StrEnum):
    buyer = "buyer"
    vendor = "vendor"
    decider = "decider"
    agent = "agent"


def play(
    scenario: Annotated[str, typer.Argument(help="A situation of the catalogue.")],
    who: Annotated[Who, typer.Option("--as", help="Whose place you take.")],
    agent: Annotated[str, typer.Option(help="Who works the case, where it is not you.")] = "playbook",
    rules: Annotated[Switch, typer.Option(help="off: the agent sees the case at once.")] = Switch.off,
    seed: Annotated[int, typer.Option(help="The case seed.")] = 7,
    world: World = "ap",
    stack: StackFile = None,
) -> None:
    """Take somebody's place in one case, at the terminal or through a pipe; the others are played, and it is graded."""
    settings = settings_from(world=world, scenarios=(scenario,), agent=agent, rules=rules.value, seed=seed)
    finish(lambda: playing_by_hand.play(world, settings, who.value, stack, Terminal(out)))
