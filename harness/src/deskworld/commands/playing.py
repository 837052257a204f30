"""Playing a campaign: what is refused before a stack is started, what is printed, how it ends."""

import json
import secrets
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError
from rich.console import Console

from deskworld import agents, bundle, planning, report
from deskworld import run as running
from deskworld.errors import BundleFailed
from deskworld.live import Live
from deskworld.stack import choose
from deskworld.values.campaign import Settings
from deskworld.worlds import WORLDS


@dataclass(frozen=True, slots=True)
class Manner:
    """How a campaign is shown while it is played and when it is done."""

    out: Console
    err: Console
    json_only: bool
    verbose: bool

    @property
    def say(self) -> Console:
        return self.err if self.json_only else self.out


async def run(settings: Settings, stack: Path | None, runs: Path, manner: Manner, *, resume: Path | None = None) -> int:
    refuse_early(settings, runs)
    async with choose.chosen(stack) as chosen:
        manner.say.print(f"stack: {chosen.why}", highlight=False, soft_wrap=True)
        with Live(manner.err, verbose=manner.verbose) as live:
            done, verdicts = await running.campaign(
                settings,
                worlds=WORLDS,
                stack=chosen.stack,
                runs=runs,
                nonce=secrets.token_hex(8),
                tell=live.tell,
                resume=resume,
            )
    if manner.json_only:
        manner.out.file.write(done.model_dump_json(by_alias=True) + "\n")
    else:
        report.print_campaign(done, verdicts, manner.out)
    return done.exit_code


def refuse_early(settings: Settings, runs: Path) -> None:
    """What can be known to be wrong before a stack is started. Raises HarnessError."""
    planning.prepared(settings, WORLDS)
    agents.check(settings.agent, Path(settings.playbook) if settings.playbook else None)
    bundle.prepare(runs)


def settings_of(folder: Path) -> Settings:
    """Those of the campaign in a bundle. Raises BundleFailed."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        return Settings.model_validate(manifest["settings"])
    except (OSError, ValueError, LookupError, TypeError, ValidationError) as error:
        what = f"{folder} does not say what was run: {type(error).__name__}"
        raise BundleFailed(what, next_step="name the folder of a run, as `harness run` printed it") from error
