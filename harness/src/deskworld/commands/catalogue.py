"""The catalogue, without a stack: what there is, one situation, and whether the files hold."""

from rich.console import Console
from rich.table import Table

from deskworld import catalogue, compiler, lint
from deskworld.commands import worlds
from deskworld.errors import ExitCode


def list_scenarios(world: str, *, out: Console) -> int:
    table = Table()
    table.add_column("scenario", no_wrap=True)
    for name in ("title", "category", "split", "role"):
        table.add_column(name)
    for scenario in catalogue.load_all(worlds.named(world).scenarios).values():
        table.add_row(scenario.name, scenario.title, scenario.category, scenario.split, scenario.role)
    out.print(table)
    return ExitCode.PASS


def show(name: str, world: str, seed: int | None, *, out: Console) -> int:
    known = worlds.named(world)
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
    known = worlds.named(world)
    loaded = catalogue.load_all(known.scenarios)
    found = [one for scenario in loaded.values() for one in lint.findings(scenario, loaded, known)]
    for one in found:
        out.print(one, markup=False, highlight=False, soft_wrap=True)
    out.print(f"{len(loaded)} scenarios, {len(found)} findings", highlight=False)
    return ExitCode.GATE_MISSED if found else ExitCode.PASS
