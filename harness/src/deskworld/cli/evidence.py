"""The commands that look at what was played before."""

from pathlib import Path
from typing import Annotated

import typer

from deskworld.cli.campaign import Names, Playbook, full_path, settings_from, split_names
from deskworld.cli.ending import err, finish, finish_now, out
from deskworld.cli.options import Json, Runs, StackFile, Switch, Verbose, World
from deskworld.commands import comparing, freezing, rescoring
from deskworld.commands.playing import Manner

Run = Annotated[Path, typer.Argument(help="The folder of a run, as `harness run` printed it.")]


def compare(
    first: Annotated[str, typer.Argument(help="The folder of a run; with --interleave an agent.")],
    second: Annotated[str, typer.Argument(help="What it is compared with.")],
    interleave: Annotated[
        bool, typer.Option("--interleave", help="Play two agents on the same cases, in alternating order.")
    ] = False,
    scenarios: Names = None,
    rules: Annotated[Switch, typer.Option(help="With --interleave.")] = Switch.on,
    repetitions: Annotated[int, typer.Option(help="With --interleave: runs of each scenario.")] = 1,
    parallel: Annotated[int, typer.Option(help="With --interleave: cases side by side.")] = 8,
    seed: Annotated[int, typer.Option(help="With --interleave: the first case seed.")] = 7,
    world: World = "ap",
    json_: Json = False,
    verbose: Verbose = False,
    runs: Runs = Path("runs"),
    stack: StackFile = None,
) -> None:
    """Two campaigns, paired by scenario and seed: how far apart, what changed; nobody is ranked inside the noise."""
    if not interleave:
        finish_now(lambda: comparing.stored(Path(first), Path(second), out=out, json_only=json_))
    pair = [
        settings_from(
            world=world,
            scenarios=split_names(scenarios),
            agent=agent,
            rules=rules.value,
            repetitions=repetitions,
            parallel=parallel,
            seed=seed,
            label=f"interleaved-{nth}",
        )
        for nth, agent in enumerate((first, second), start=1)
    ]
    manner = Manner(out, err, json_only=json_, verbose=verbose)
    finish(lambda: comparing.interleaved((pair[0], pair[1]), stack, runs, manner))


def rescore(
    run: Run,
    processes: Annotated[int | None, typer.Option(min=1, help="Default: one a processor.")] = None,
    json_: Json = False,
) -> None:
    """Grade stored runs again, without a stack, and show what moved."""
    finish_now(lambda: rescoring.rescore(run, processes, out=out, json_only=json_))


def freeze(
    held_out: Annotated[Path, typer.Argument(help="The folder of held-out scenarios.")],
    agent: Annotated[str, typer.Option(help="The candidate, as `harness run --agent` names it.")] = "playbook",
    playbook: Playbook = None,
    world: World = "ap",
) -> None:
    """Record the digests of the candidate and the gates, before anybody sees results on held-out scenarios."""
    finish_now(lambda: freezing.freeze(held_out, agent, world, playbook=full_path(playbook), out=out))
