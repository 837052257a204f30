"""What each command does and prints. The command line turns what they return into an exit code."""

import secrets
from pathlib import Path

from rich.console import Console
from rich.table import Table

from deskworld import agents, bundle, catalogue, compiler, health, lint, report
from deskworld import run as running
from deskworld.errors import ExitCode, StackUnavailable, UsageWrong
from deskworld.live import Live
from deskworld.stack import choose, embedded, files
from deskworld.values.campaign import Campaign, Settings
from deskworld.values.stack import Stack
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


async def up(name: str, port_base: int | None, *, out: Console) -> int:
    path = files.running_file(name)
    if path.exists() and embedded.is_running(files.read(path)):
        raise StackUnavailable(f"a stack {name!r} is running already", next_step="`harness status`, `harness down`")
    fixed = () if port_base is None else ("--port-base", str(port_base))
    stack = await embedded.start_detached(name, fixed)
    files.write(stack, path)
    out.print(f"stack {stack.id} is up; its file is {path}", highlight=False, soft_wrap=True)
    _print_addresses(stack, out)
    return ExitCode.PASS


async def down(name: str, *, out: Console) -> int:
    path = files.running_file(name)
    if not path.exists():
        raise StackUnavailable(f"no stack {name!r} was started with `harness up`", next_step="`harness up`")
    stack = files.read(path)
    ended = await embedded.stop(stack)
    path.unlink(missing_ok=True)
    out.print(f"stack {stack.id} {'is stopped' if ended else 'was down already'}", highlight=False)
    return ExitCode.PASS


async def status(given: Path | None, *, out: Console) -> int:
    stack = _running(given)
    examined = await health.examine(stack)
    out.print(f"stack {stack.id} ({stack.kind})", highlight=False)
    for one in examined:
        out.print(f"  {'well  ' if one.well else 'UNWELL'} {one.part}", highlight=False)
    return ExitCode.PASS if all(one.well for one in examined) else ExitCode.BROKEN


async def doctor(given: Path | None, *, out: Console) -> int:
    """Examines the stack that is given or running; with none, starts one to examine."""
    async with choose.chosen(given) as chosen:
        out.print(f"stack: {chosen.why}", highlight=False, soft_wrap=True)
        examined = await health.examine(chosen.stack)
        for one in examined:
            out.print(f"{'well  ' if one.well else 'UNWELL'} {one.part}: {one.said}", highlight=False, soft_wrap=True)
            if one.next_step:
                out.print(f"       next: {one.next_step}", highlight=False, soft_wrap=True)
        await _print_memory(chosen.stack, out)
    return ExitCode.PASS if all(one.well for one in examined) else ExitCode.BROKEN


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


def _running(given: Path | None) -> Stack:
    path = given or files.running_file()
    if not path.exists():
        raise StackUnavailable("no stack is running", next_step="`harness up` starts one")
    stack = files.read(path)
    if stack.kind == "embedded" and not embedded.is_running(stack):
        raise StackUnavailable(f"the stack of {path} is down", next_step="`harness down`, then `harness up`")
    return stack


def _world(name: str) -> World:
    if name not in WORLDS:
        raise UsageWrong(f"there is no world {name!r}", next_step=f"there are: {', '.join(WORLDS)}")
    return WORLDS[name]


def _print_addresses(stack: Stack, out: Console) -> None:
    for part, where in (
        ("ERP", stack.erp),
        ("desk", stack.desk),
        ("agent door", stack.agent_door),
        ("identity", stack.issuer),
        ("policy", stack.policy),
        ("SMTP", f"{stack.smtp.host}:{stack.smtp.port}"),
        ("IMAP", f"{stack.imap.host}:{stack.imap.port}"),
        ("logs", stack.logs or "–"),
    ):
        out.print(f"  {part:<11}{where}", highlight=False, soft_wrap=True)


async def _print_memory(stack: Stack, out: Console) -> None:
    if stack.kind != "embedded":
        return
    parts = await embedded.measured(stack)
    total = parts.pop("total")["pss_mb"]
    listed = ", ".join(f"{name} {part['pss_mb']:.0f}" for name, part in parts.items())
    out.print(f"memory: {total:.0f} MB in all ({listed})", highlight=False, soft_wrap=True)
