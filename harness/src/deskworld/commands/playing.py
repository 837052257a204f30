"""Playing a campaign: what is refused before a stack is started, what is printed, how it ends."""

import secrets
from pathlib import Path

from rich.console import Console

from deskworld import agents, bundle, catalogue, report
from deskworld import run as running
from deskworld.commands import worlds
from deskworld.live import Live
from deskworld.stack import choose
from deskworld.values.campaign import Settings
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
    return done.exit_code


def _refuse_early(settings: Settings, runs: Path) -> None:
    """What can be known to be wrong before a stack is started. Raises HarnessError."""
    loaded = catalogue.load_all(worlds.named(settings.world).scenarios)
    catalogue.select(loaded, names=settings.scenarios, category=settings.category, split=settings.split)
    agents.check(settings.agent)
    bundle.prepare(runs)
