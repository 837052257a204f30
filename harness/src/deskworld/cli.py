"""The command line: parse, call, print, exit code. It decides nothing else."""

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError
from rich.console import Console

from deskworld import commands, stack_commands
from deskworld.errors import ExitCode, HarnessError, UsageWrong
from deskworld.stack.compose import BASE
from deskworld.values.campaign import Settings

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__)
err = Console(stderr=True)
out = Console()
TYPER_USAGE_ERROR = 2


class Finished(Exception):
    """A command came to its end, with this exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Switch(StrEnum):
    on = "on"
    off = "off"


StackFile = Annotated[
    Path | None, typer.Option("--stack", help="A stack file; else the running stack, else one of its own.")
]
World = Annotated[str, typer.Option(help="The kind of work.")]


@app.command()
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
    json_: Annotated[
        bool, typer.Option("--json", help="One object on standard output and nothing else there.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="A line for every case that ends.")] = False,
    runs: Annotated[Path, typer.Option(help="Where run bundles go.")] = Path("runs"),
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
    raise Finished(
        _finish(lambda: commands.run(settings, stack, runs, out=out, err=err, json_only=json_, verbose=verbose))
    )


@app.command()
def init(
    folder: Annotated[Path | None, typer.Option(help="Where .env goes; else beside the compose file.")] = None,
    port_base: Annotated[int, typer.Option(help="The ten ports: this one and the nine after it.")] = BASE,
) -> None:
    """Write random secrets for the compose stack into .env; never over one that is there."""
    raise Finished(_finish(lambda: stack_commands.init(folder, port_base, out=out)))


@app.command()
def up(
    name: Annotated[str, typer.Option(help="A second stack has a name of its own.")] = "default",
    port_base: Annotated[int | None, typer.Option(help="Fixed ports: this one and the nine after it.")] = None,
) -> None:
    """Start an embedded stack that stays, and say where everything is."""
    raise Finished(_finish(lambda: stack_commands.up(name, port_base, out=out)))


@app.command()
def down(name: Annotated[str, typer.Option(help="Which stack of `harness up`.")] = "default") -> None:
    """Stop a stack of `harness up`."""
    raise Finished(_finish(lambda: stack_commands.down(name, out=out)))


@app.command()
def load(
    company: Annotated[bool, typer.Option("--company", help="Vendors, orders and invoices to look around in.")] = False,
    vendors: Annotated[int, typer.Option(help="Each with 10 orders and 25 invoices.")] = 200,
    seed: Annotated[int, typer.Option(help="Another number, another company.")] = 7,
    world: World = "ap",
    stack: StackFile = None,
) -> None:
    """Fill a running stack with a seeded company; no cases come of it."""
    if not company:
        _complain(UsageWrong("nothing to load was named", next_step="`harness load --company`"))
        raise Finished(ExitCode.BROKEN)
    raise Finished(_finish(lambda: commands.load_company(world, stack, seed, vendors, out=out, err=err)))


@app.command()
def status(
    stack: StackFile = None,
    save: Annotated[Path | None, typer.Option("--save", help="Also write its stack file here.")] = None,
) -> None:
    """Which stack is running, and how its parts are."""
    raise Finished(_finish(lambda: stack_commands.status(stack, save=save, out=out)))


@app.command()
def doctor(stack: StackFile = None) -> None:
    """What is wrong with the stack, in words, with the next step."""
    raise Finished(_finish(lambda: stack_commands.doctor(stack, out=out)))


@app.command()
def logs(
    part: Annotated[str | None, typer.Argument(help="One part of the stack; else all.")] = None,
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, help="The last so many of each.")] = 40,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="And whatever comes, until Ctrl-C.")] = False,
    stack: StackFile = None,
) -> None:
    """What the parts of an embedded stack say."""
    raise Finished(_finish(lambda: stack_commands.log(part, stack, lines, follow=follow, out=out)))


@app.command(name="list")
def list_(world: World = "ap") -> None:
    """The catalogue."""
    raise Finished(_finish_now(lambda: commands.list_scenarios(world, out=out)))


@app.command()
def show(
    scenario: str,
    world: World = "ap",
    seed: Annotated[int | None, typer.Option(help="Also the case that this seed compiles to.")] = None,
) -> None:
    """One scenario: the situation, what is right, who says what, what runs have taught."""
    raise Finished(_finish_now(lambda: commands.show(scenario, world, seed, out=out)))


@app.command()
def check(world: World = "ap") -> None:
    """Lint every scenario file, without a stack."""
    raise Finished(_finish_now(lambda: commands.check(world, out=out)))


def _settings(**given: object) -> Settings:
    try:
        return Settings.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        name = "--" + str(first["loc"][0])
        _complain(UsageWrong(f"{name} {first['input']!r}: {first['msg']}", next_step="`harness run --help`"))
        raise Finished(ExitCode.BROKEN) from None


def _finish(work: Callable[[], Awaitable[int]]) -> int:
    """Runs to an exit code. Ctrl-C and SIGTERM cancel the work, which closes what it opened."""
    try:
        return asyncio.run(_cancellable(work))
    except HarnessError as error:
        return _complain(error)
    except asyncio.CancelledError:
        err.print("[yellow]interrupted[/]; what was done until then is in the bundle, marked interrupted")
        return ExitCode.BROKEN
    except BaseExceptionGroup as group:
        return _complain(_first(group))


def _finish_now(work: Callable[[], int]) -> int:
    try:
        return work()
    except HarnessError as error:
        return _complain(error)


async def _cancellable(work: Callable[[], Awaitable[int]]) -> int:
    task = asyncio.ensure_future(work())
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    return await task


def _first(group: BaseExceptionGroup[BaseException]) -> HarnessError:
    """The first harness error of a group; anything else is a defect and goes up as it is."""
    ours, rest = group.split(HarnessError)
    if ours is None or (rest is not None and rest.subgroup(lambda e: not isinstance(e, asyncio.CancelledError))):
        raise group
    error: BaseException = ours
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    assert isinstance(error, HarnessError)  # noqa: S101 - split() says so
    return error


def _complain(error: HarnessError) -> int:
    err.print(f"[red]error[/] {error.what}", markup=True, highlight=False, soft_wrap=True)
    if error.next_step:
        err.print(f"[dim]next[/]  {error.next_step}", highlight=False, soft_wrap=True)
    return ExitCode.BROKEN


def main() -> None:
    """A call that cannot be understood ends with 3 like every other usage error: 2 means too few runs."""
    try:
        app()
    except Finished as finished:
        sys.exit(finished.code)
    except SystemExit as ended:
        sys.exit(ExitCode.BROKEN if ended.code == TYPER_USAGE_ERROR else ended.code)
