"""The commands that play."""

from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from deskworld.cli.ending import err, finish, out, refuse
from deskworld.cli.options import Json, Runs, StackFile, Switch, Verbose, World
from deskworld.commands import playing
from deskworld.commands.playing import Manner
from deskworld.errors import HarnessError, UsageWrong
from deskworld.values.campaign import Settings

BESIDES = frozenset({"resume", "json_", "verbose", "runs", "stack"})
"""What may be said of a campaign that goes on; all else was said when it began."""
Names = Annotated[list[str] | None, typer.Option("--scenarios", "-s", help="Names; may be given often.")]

Agent = Annotated[
    str,
    typer.Option(
        help="playbook, oracle, mute, …; module:function; a model (openai:NAME, anthropic:NAME, …); none or the http… "
        "address it is known under: yours is attached."
    ),
]
Playbook = Annotated[
    Path | None, typer.Option(help="For a model: this text in place of the playbook that ships, for this alone.")
]


def run(
    context: typer.Context,
    world: World = "ap",
    scenarios: Names = None,
    category: Annotated[str | None, typer.Option(help="Only this category.")] = None,
    split: Annotated[str | None, typer.Option(help="Only this split.")] = None,
    held_out: Annotated[Path | None, typer.Option(help="Also the held-out scenarios of this folder.")] = None,
    smoke: Annotated[bool, typer.Option("--smoke", help="One case each of four situations.")] = False,
    agent: Agent = "playbook",
    playbook: Playbook = None,
    model_concurrency: Annotated[int, typer.Option(help="Calls of a model side by side.")] = 4,
    rules: Annotated[Switch, typer.Option(help="off: the agent sees every case.")] = Switch.on,
    repetitions: Annotated[int, typer.Option(help="Runs of each scenario, each with its own seed.")] = 1,
    solo_repetitions: Annotated[
        int, typer.Option(help="Also the variants that befall the whole stack, so often, each alone.")
    ] = 0,
    adaptive: Annotated[int, typer.Option(help="So many runs more, spent where the answer varies.")] = 0,
    baselines: Annotated[
        bool, typer.Option("--baselines", help="Also the rules alone and the playbook agent, on the same cases.")
    ] = False,
    parallel: Annotated[int, typer.Option(help="Cases side by side.")] = 8,
    seed: Annotated[int, typer.Option(help="The first case seed.")] = 7,
    label: Annotated[str, typer.Option(help="A word for the bundle's folder.")] = "run",
    timeout: Annotated[float, typer.Option(help="Seconds that one case may take to settle.")] = 300.0,
    stall: Annotated[float, typer.Option(help="Seconds without anything happening.")] = 120.0,
    shared: Annotated[bool, typer.Option("--shared", help="Run on a stack that has open cases.")] = False,
    resume: Annotated[Path | None, typer.Option(help="Go on with the run of this folder, which was cut off.")] = None,
    json_: Json = False,
    verbose: Verbose = False,
    runs: Runs = Path("runs"),
    stack: StackFile = None,
) -> None:
    """Play the catalogue, grade it, judge its gates, print the table."""
    manner = Manner(out, err, json_only=json_, verbose=verbose)
    if resume is not None:
        settings = _resumed(context, resume)
    else:
        settings = settings_from(
            world=world,
            scenarios=split_names(scenarios),
            category=category,
            split=split,
            held_out=None if held_out is None else str(held_out.resolve()),
            smoke=smoke,
            agent=agent,
            playbook=full_path(playbook),
            model_concurrency=model_concurrency,
            rules=rules.value,
            repetitions=repetitions,
            solo_repetitions=solo_repetitions,
            adaptive=adaptive,
            baselines=baselines,
            parallel=parallel,
            seed=seed,
            label=label,
            timeout=timeout,
            stall=stall,
            shared=shared,
        )
    finish(lambda: playing.run(settings, stack, runs, manner, resume=resume))


def settings_from(**given: object) -> Settings:
    """Ends the command where they cannot be."""
    try:
        return Settings.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        place = "".join(f"--{str(part).replace('_', '-')} {first['input']!r}: " for part in first["loc"][:1])
        refuse(UsageWrong(f"{place}{first['msg'].removeprefix('Value error, ')}", next_step="`harness run --help`"))


def full_path(file: Path | None) -> str | None:
    return None if file is None else str(file.resolve())


def split_names(scenarios: list[str] | None) -> tuple[str, ...]:
    return tuple(name for given in scenarios or () for name in given.split(",") if name)


def _resumed(context: typer.Context, folder: Path) -> Settings:
    said = [
        f"--{name.replace('_', '-')}"
        for name in context.params
        if name not in BESIDES and (source := context.get_parameter_source(name)) and source.name == "COMMANDLINE"
    ]
    if said:
        refuse(
            UsageWrong(
                f"{', '.join(said)}: a run that goes on is what it was when it began",
                next_step=f"`harness run --resume {folder}` alone, or a new run",
            )
        )
    try:
        return playing.settings_of(folder)
    except HarnessError as error:
        refuse(error)
