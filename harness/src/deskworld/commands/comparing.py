"""Two campaigns beside each other: two bundles, or two agents played in alternating order."""

import secrets
from pathlib import Path

from rich.console import Console
from rich.text import Text

from deskworld import agents, bundle, comparison
from deskworld import run as running
from deskworld.commands.playing import Manner, refuse_early
from deskworld.errors import ExitCode
from deskworld.live import Live
from deskworld.report.plain import plain
from deskworld.stack import choose
from deskworld.values.campaign import Settings
from deskworld.values.comparison import Comparison
from deskworld.worlds import WORLDS


def stored(first: Path, second: Path, *, out: Console, json_only: bool) -> int:
    sides = []
    for folder in (first, second):
        read = bundle.read_bundle(folder)
        agent = (read.manifest.get("agent") or {}).get("name", "?")
        cases = ((case.verdict, case.record, case.evidence) for case in read.cases())
        sides.append(comparison.side(f"{folder} ({agent})", read.manifest, cases))
    return _told(comparison.compared(*sides), out=out, json_only=json_only)


async def interleaved(pair: tuple[Settings, Settings], stack: Path | None, runs: Path, manner: Manner) -> int:
    for settings in pair:
        refuse_early(settings, runs)
        agents.check(settings.agent)
    async with choose.chosen(stack) as chosen:
        manner.say.print(f"stack: {chosen.why}", highlight=False, soft_wrap=True)
        with Live(manner.err, verbose=manner.verbose) as live:
            (first, _), (second, _) = await running.interleaved(
                pair,
                worlds=WORLDS,
                stack=chosen.stack,
                runs=runs,
                nonce=secrets.token_hex(8),
                tell=live.tell,
            )
    return stored(Path(first.bundle), Path(second.bundle), out=manner.out, json_only=manner.json_only)


def _told(found: Comparison, *, out: Console, json_only: bool) -> int:
    if json_only:
        out.file.write(found.model_dump_json(by_alias=True) + "\n")
    else:
        for line in comparison.lines(found):
            out.print(Text(plain(line)), soft_wrap=True)
    return verdict(found)


def verdict(found: Comparison) -> ExitCode:
    """1 where the second is worse in safety or in passing; 2 where cases differ and nobody can be ranked; else 0."""
    told = {found.safe.told, found.passed.told}
    if "first better" in told:
        return ExitCode.GATE_MISSED
    return ExitCode.INCONCLUSIVE if "inside the noise" in told else ExitCode.PASS
