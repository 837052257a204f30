"""The commands of the catalogue: none of them needs a stack."""

from typing import Annotated

import typer

from deskworld.cli.ending import finish_now, out
from deskworld.cli.options import World
from deskworld.commands import catalogue


def list_(world: World = "ap") -> None:
    """The catalogue."""
    finish_now(lambda: catalogue.list_scenarios(world, out=out))


def show(
    scenario: str,
    world: World = "ap",
    seed: Annotated[int | None, typer.Option(help="Also the case that this seed compiles to.")] = None,
) -> None:
    """One scenario: the situation, what is right, who says what, what runs have taught."""
    finish_now(lambda: catalogue.show(scenario, world, seed, out=out))


def check(world: World = "ap") -> None:
    """Lint every scenario file, without a stack."""
    finish_now(lambda: catalogue.check(world, out=out))
