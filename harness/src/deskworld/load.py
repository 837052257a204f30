"""`harness load`: something to look around in, on a stack that runs."""

import time
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from deskworld.errors import ExitCode, UsageWrong
from deskworld.stack import choose
from deskworld.world import World


async def company(world: World, stack: Path | None, seed: int, vendors: int, *, out: Console, err: Console) -> int:
    """A company on the stack that is given or running. Raises HarnessError."""
    if world.load is None:
        raise UsageWrong(f"the world {world.name!r} has no company to load", next_step="`--world ap` has one")
    found = await choose.found(stack)
    if found is None:
        raise UsageWrong("no stack is running", next_step="`harness up` starts one that stays")
    out.print(f"stack: {found.why}", highlight=False, soft_wrap=True)
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
