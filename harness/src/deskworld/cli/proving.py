"""The commands that prove the catalogue and publish its form."""

from typing import Annotated

import typer

from deskworld.cli.ending import err, finish, finish_now, out
from deskworld.cli.options import StackFile, World
from deskworld.commands import proving
from deskworld.commands import schema as schemas


def prove(
    world: World = "ap",
    scenarios: Annotated[list[str] | None, typer.Option("--scenarios", "-s", help="Names; may be given often.")] = None,
    corners: Annotated[
        bool, typer.Option("--corners", help="Seed every corner of the drawn ranges instead of playing.")
    ] = False,
    repetitions: Annotated[int, typer.Option(min=1, help="Runs of each scenario, each with its own seed.")] = 1,
    seed: Annotated[int, typer.Option(help="The first case seed.")] = 7,
    parallel: Annotated[int, typer.Option(min=1, help="Cases side by side.")] = 8,
    stack: StackFile = None,
) -> None:
    """Show through the doors that the catalogue holds: oracle passes, rules on and off, and the controls do not."""
    names = tuple(name for given in scenarios or () for name in given.split(",") if name)
    finish(
        lambda: proving.prove_catalogue(
            world,
            names,
            stack,
            seeds=range(seed, seed + repetitions),
            parallel=parallel,
            corners=corners,
            out=out,
            err=err,
        )
    )


def schema(world: World = "ap") -> None:
    """Print the JSON Schema of a scenario file, for editors."""
    finish_now(lambda: schemas.print_schema(world, out=out))
