"""The commands that play."""

from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from deskworld.cli.ending import err, finish, out, refuse
from deskworld.cli.options import Json, Runs, StackFile, Switch, Verbose, World
from deskworld.commands import playing
from deskworld.errors import UsageWrong
from deskworld.values.campaign import Settings


def run(
    world: World = "ap",
    scenarios: Annotated[list[str] | None, typer.Option("--scenarios", "-s", help="Names; may be given often.")] = None,
    category: Annotated[str | None, typer.Option(help="Only this category.")] = None,
    split: Annotated[str | None, typer.Option(help="Only this split.")] = None,
    agent: Annotated[
        str, typer.Option(help="playbook, oracle, mute, approve-everything, …, or none: yours is attached.")
    ] = "playbook",
    rules: Annotated[Switch, typer.Option(help="off: the agent sees every case.")] = Switch.on,
    repetitions: Annotated[int, typer.Option(help="Runs of each scenario, each with its own seed.")] = 1,
    parallel: Annotated[int, typer.Option(help="Cases side by side.")] = 8,
    seed: Annotated[int, typer.Option(help="The first case seed.")] = 7,
    label: Annotated[str, typer.Option(help="A word for the bundle's folder.")] = "run",
    timeout: Annotated[float, typer.Option(help="Seconds that one case may take to settle.")] = 300.0,
    stall: Annotated[float, typer.Option(help="Seconds without anything happening.")] = 120.0,
    shared: Annotated[bool, typer.Option("--shared", help="Run on a stack that has open cases.")] = False,
    json_: Json = False,
    verbose: Verbose = False,
    runs: Runs = Path("runs"),
    stack: StackFile = None,
) -> None:
    """Play the catalogue, grade it, print the table."""
    names = tuple(name for given in scenarios or () for name in given.split(",") if name)
    settings = _settings(
        world=world,
        scenarios=names,
        category=category,
        split=split,
        agent=agent,
        rules=rules.value,
        repetitions=repetitions,
        parallel=parallel,
        seed=seed,
        label=label,
        timeout=timeout,
        stall=stall,
        shared=shared,
    )
    finish(lambda: playing.run(settings, stack, runs, out=out, err=err, json_only=json_, verbose=verbose))


def _settings(**given: object) -> Settings:
    try:
        return Settings.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        name = "--" + str(first["loc"][0])
        refuse(UsageWrong(f"{name} {first['input']!r}: {first['msg']}", next_step="`harness run --help`"))
