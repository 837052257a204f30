"""Calibration on the command line."""

from pathlib import Path
from typing import Annotated

import typer

from deskworld.cli.ending import finish, out
from deskworld.cli.options import Runs, StackFile, World
from deskworld.commands import calibrating


def calibrate(
    given: Annotated[
        list[Path] | None, typer.Argument(help="Bundles whose runs are changed; else the oracle plays first.")
    ] = None,
    world: World = "ap",
    each: Annotated[int, typer.Option(min=1, help="Places at which each change of each field is tried.")] = 3,
    seed: Annotated[int, typer.Option(help="What is played and where is changed.")] = 7,
    runs: Runs = Path("runs"),
    stack: StackFile = None,
) -> None:
    """Attack the grader: agents that must fail, a desk that lies, and every field of stored runs changed."""
    finish(lambda: calibrating.calibrate(world, given or (), stack, runs, each=each, seed=seed, out=out))
