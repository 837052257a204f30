"""What each command does and prints. The command line turns what they return into an exit code."""

import secrets
from pathlib import Path

from rich.console import Console
from rich.table import Table

from deskworld import agents, bundle, catalogue, compiler, lint, load, report
from deskworld import run as running
from deskworld.errors import ExitCode, UsageWrong
from deskworld.live import Live
from deskworld.stack import choose
from deskworld.values.campaign import Campaign, Settings
from deskworld.world import World
from deskworld.worlds import WORLDS


async def run(
    settings: Settings,
    stack: Path | None,
    runs: Path,
    *,
    out: Console,
    err: Console,
    json_only: bool,
    verbose: bool,
) -> int:
    say = err if json_only else out
    _refuse_early(settings, runs)
    async with choose.chosen(stack) as chosen:
        say.print(f"stack: {chosen.why}", highlight=False, soft_wrap=True)
        with Live(err, verbose=verbose) as live:
            done, verdicts = await running.campaign(
                settings,
                worlds=WORLDS,
                stack=chosen.stack,
                runs=runs,
                nonce=secrets.token_hex(8),
                tell=live.tell,
            )
    if json_only:
        out.file.write(done.model_dump_json(by_alias=True) + "\n")
    else:
        report.print_campaign(done, verdicts, out)
    return _exit_code(done)


async def load_company(world: str, stack: Path | None, seed: int, vendors: int, *, out: Console, err: Console) -> int:
    return await load.company(_world(world), stack, seed, vendors, out=out, err=err)


def _refuse_early(settings: Settings, runs: Path) -> None:
    """What can be known to be wrong before a stack is started. Raises HarnessError."""
    loaded = catalogue.load_all(_world(settings.world).scenarios)
    catalogue.select(loaded, names=settings.scenarios, category=settings.category, split=settings.split)
    agents.check(settings.agent)
    bundle.prepare(runs)


def _exit_code(done: Campaign) -> int:
    if done.runs == 0:
        raise UsageWrong("nothing was run", next_step="`harness list` shows what there is")
    if done.passed == done.runs:
        return ExitCode.PASS
    if done.infrastructure == done.failed:
        return ExitCode.BROKEN
    return ExitCode.GATE_MISSED


def list_scenarios(world: str, *, out: Console) -> int:
    table = Table()
    table.add_column("scenario", no_wrap=True)
    for name in ("title", "category", "split", "role"):
        table.add_column(name)
    for scenario in catalogue.load_all(_world(world).scenarios).values():
        table.add_row(scenario.name, scenario.title, scenario.category, scenario.split, scenario.role)
    out.print(table)
    return ExitCode.PASS


def show(name: str, world: str, seed: int | None, *, out: Console) -> int:
    known = _world(world)
    loaded = catalogue.load_all(known.scenarios)
    scenario = catalogue.select(loaded, names=[name])[0]
    out.print((known.scenarios / f"{name}.yaml").read_text(encoding="utf-8"), markup=False, highlight=False)
    if scenario.taught:
        out.print(f"taught: {scenario.taught}", markup=False, highlight=False)
    if seed is not None:
        case = compiler.compile_case(scenario, seed=seed, tag="x" * 10, rules="on", world=known)
        out.print_json(case.model_dump_json())
    return ExitCode.PASS


def check(world: str, *, out: Console) -> int:
    known = _world(world)
    loaded = catalogue.load_all(known.scenarios)
    found = [one for scenario in loaded.values() for one in lint.findings(scenario, loaded, known)]
    for one in found:
        out.print(one, markup=False, highlight=False, soft_wrap=True)
    out.print(f"{len(loaded)} scenarios, {len(found)} findings", highlight=False)
    return ExitCode.GATE_MISSED if found else ExitCode.PASS


def _world(name: str) -> World:
    if name not in WORLDS:
        raise UsageWrong(f"there is no world {name!r}", next_step=f"there are: {', '.join(WORLDS)}")
    return WORLDS[name]
