"""The commands of a stack: started, stopped, filled, looked after."""

from pathlib import Path
from typing import Annotated

import typer

from deskworld import stack_commands
from deskworld.cli.ending import err, finish, finish_now, out, refuse
from deskworld.cli.options import StackFile, Switch, World
from deskworld.commands import filling, reporting
from deskworld.errors import UsageWrong
from deskworld.stack.compose import BASE


def init(
    folder: Annotated[Path | None, typer.Option(help="Where .env goes; else beside the compose file.")] = None,
    port_base: Annotated[int, typer.Option(help="The ten ports: this one and the nine after it.")] = BASE,
) -> None:
    """Write random secrets for the compose stack into .env; never over one that is there."""
    finish(lambda: stack_commands.init(folder, port_base, out=out))


def up(
    name: Annotated[str, typer.Option(help="A second stack has a name of its own.")] = "default",
    port_base: Annotated[int | None, typer.Option(help="Fixed ports: this one and the nine after it.")] = None,
) -> None:
    """Start an embedded stack that stays, and say where everything is."""
    finish(lambda: stack_commands.up(name, port_base, out=out))


def down(name: Annotated[str, typer.Option(help="Which stack of `harness up`.")] = "default") -> None:
    """Stop a stack of `harness up`."""
    finish(lambda: stack_commands.down(name, out=out))


def load(
    scenario: Annotated[
        str | None, typer.Argument(help="One situation of the catalogue; it stays and is yours.")
    ] = None,
    company: Annotated[bool, typer.Option("--company", help="Vendors, orders and invoices to look around in.")] = False,
    vendors: Annotated[int, typer.Option(help="Each with 10 orders and 25 invoices.")] = 200,
    seed: Annotated[int, typer.Option(help="Another number, another company or case.")] = 7,
    rules: Annotated[Switch, typer.Option(help="Of a situation; off: an agent sees it at once.")] = Switch.on,
    world: World = "ap",
    stack: StackFile = None,
) -> None:
    """Put one situation on a running stack and leave it, or a seeded company, of which no cases come."""
    if company == (scenario is not None):
        what = "nothing to load was named" if scenario is None else "a situation and a company are loaded one by one"
        refuse(UsageWrong(what, next_step="`harness load no-po`, or `harness load --company`"))
    if scenario is not None:
        finish(lambda: filling.load_scenario(world, scenario, stack, seed, rules.value, out=out))
    finish(lambda: filling.load_company(world, stack, seed, vendors, out=out, err=err))


def status(
    stack: StackFile = None,
    save: Annotated[Path | None, typer.Option("--save", help="Also write its stack file here.")] = None,
) -> None:
    """Which stack is running, and how its parts are."""
    finish(lambda: stack_commands.status(stack, save=save, out=out))


def doctor(stack: StackFile = None) -> None:
    """What is wrong with the stack, in words, with the next step."""
    finish(lambda: stack_commands.doctor(stack, out=out))


def logs(
    part: Annotated[str | None, typer.Argument(help="One part of the stack, or the folder of a run; else all.")] = None,
    case: Annotated[int | None, typer.Option(min=0, help="Of a run: this case, row by row.")] = None,
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, help="The last so many of each.")] = 40,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="And whatever comes, until Ctrl-C.")] = False,
    stack: StackFile = None,
) -> None:
    """What the parts of an embedded stack say, or what happened in the cases of a run."""
    if part is not None and (Path(part) / "manifest.json").is_file():
        finish_now(lambda: reporting.log(Path(part), case, out=out))
    if case is not None:
        refuse(UsageWrong("--case is of a run", next_step="harness logs runs/NAME --case 12"))
    finish(lambda: stack_commands.log(part, stack, lines, follow=follow, out=out))
