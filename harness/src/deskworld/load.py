"""`harness load`: something to look around in, on a stack that runs."""

import secrets
import time
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from deskworld import catalogue, compiler, planning
from deskworld.errors import ExitCode, UsageWrong
from deskworld.report.plain import plain
from deskworld.stack import choose
from deskworld.values.case import Rules
from deskworld.world import World


async def company(world: World, stack: Path | None, seed: int, vendors: int, *, out: Console, err: Console) -> int:
    """A company on the stack that is given or running. Raises HarnessError."""
    if world.load is None:
        raise UsageWrong(f"the world {world.name!r} has no company to load", next_step="`--world ap` has one")
    found = await _running(stack, out)
    began = time.monotonic()
    with Progress(console=err, transient=True) as progress:
        bar = progress.add_task("vendors", total=vendors)
        loaded = await world.load(
            found.stack, seed, vendors, lambda done, all_: progress.update(bar, completed=done, total=all_)
        )
    made = ", ".join(f"{count:,} {what}" for what, count in loaded.counts.items())
    out.print(f"loaded in {time.monotonic() - began:.1f} s: {made}", highlight=False)
    for reason, count in loaded.wrong.items():
        out.print(f"  {count:>5}  {reason}", highlight=False)
    out.print(f"look around at {found.stack.erp}/docs", highlight=False, soft_wrap=True)
    return ExitCode.PASS


async def scenario(world: World, name: str, stack: Path | None, seed: int, rules: Rules, *, out: Console) -> int:
    """One situation on the stack that is given or running; nobody of its script acts.

    Raises HarnessError.
    """
    chosen = catalogue.select(catalogue.load_all(world.scenarios), names=[name])[0]
    found = await _running(stack, out)
    tag = planning.tag(secrets.token_hex(8), 0)
    case = compiler.compile_case(chosen, seed=seed, tag=tag, rules=rules, world=world)
    async with world.open(found.stack) as site:
        seeded = await site.stage(case)
    _say(out, f"{case.scenario}, seed {seed}: {case.title}")
    _say(out, f"  case    {seeded.case_id}: {found.stack.desk}/workbench/cases/{seeded.case_id}")
    for sibling in seeded.siblings:
        _say(out, f"  beside  {sibling}")
    for ref, record in seeded.records.items():
        _say(out, f"  {ref:<7} {record.kind} {record.number or record.id}")
    for role, part in case.script.items():
        _say(out, f"  {role:<7} {part.identity}")
    _say(out, "it is yours: nobody answers or decides but you, and an agent that you attach")
    return ExitCode.PASS


async def _running(stack: Path | None, out: Console) -> choose.Chosen:
    found = await choose.found(stack)
    if found is None:
        raise UsageWrong("no stack is running", next_step="`harness up` starts one that stays")
    _say(out, f"stack: {found.why}")
    return found


def _say(out: Console, line: str) -> None:
    out.print(plain(line), markup=False, highlight=False, soft_wrap=True)
