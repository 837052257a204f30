"""Calibrating the grader: the suspects are played, stored runs are changed, and the table says what was noticed."""

import secrets
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from deskworld import bundle
from deskworld import run as running
from deskworld.calibration.grader import LEAST, Attacked, Run, Survivor, attack
from deskworld.calibration.trials import Trial, lied, tried
from deskworld.commands import worlds
from deskworld.errors import ExitCode, UsageWrong
from deskworld.stack import choose
from deskworld.values.campaign import Settings
from deskworld.values.stack import Stack
from deskworld.values.suspect import Calibration
from deskworld.world import World


async def calibrate(
    world: str,
    given: Sequence[Path],
    stack: Path | None,
    runs: Path,
    *,
    each: int,
    seed: int,
    out: Console,
) -> int:
    """Exit code 1 when a suspect passed or failed for another's reason, too little was caught, or there was an alarm.

    `given`: bundles whose runs are changed; without, the oracle plays the catalogue first. Raises HarnessError.
    """
    known = worlds.named(world)
    if known.calibration is None:
        raise UsageWrong(f"the world {world} says nothing of what it does not grade", next_step="`harness list`")
    async with choose.chosen(stack) as on:
        out.print(f"stack: {on.why}", highlight=False, soft_wrap=True)
        trials = await _trials(on.stack, known, known.calibration, runs, seed)
        folders = [*given] or [
            await _played(on.stack, known, runs, "oracle", rules, seed, ()) for rules in ("on", "off")
        ]
    passed = [one for folder in folders for one in bundle.read_bundle(folder).cases() if one.verdict.passed]
    whole = [Run(one.record.case, one.record, one.evidence) for one in passed if one.evidence is not None]
    attacked = attack(whole, known.checks, ungraded=known.calibration.ungraded, each=each, seed=seed)
    _print_trials(trials, known, out)
    _print_attack(attacked, seed, out)
    good = attacked.passed and all(one.wrong is None for one in trials)
    out.print("[green]the grader notices[/]" if good else "[red]the grader does not notice everything[/]")
    return ExitCode.PASS if good else ExitCode.GATE_MISSED


async def _trials(stack: Stack, world: World, told: Calibration, runs: Path, seed: int) -> list[Trial]:
    trials: list[Trial] = []
    for name, suspect in told.suspects.items():
        folder = await _played(stack, world, runs, name, "off", seed, (suspect.scenario,))
        trials += [tried(name, suspect, one) for one in bundle.read_bundle(folder).cases()]
    folder = await _played(stack, world, runs, "oracle", "on", seed, (told.lying_desk.scenario,))
    trials += [lied(one, world.checks, told) for one in bundle.read_bundle(folder).cases()]
    return trials


async def _played(
    stack: Stack, world: World, runs: Path, agent: str, rules: str, seed: int, scenarios: tuple[str, ...]
) -> Path:
    settings = Settings.model_validate(
        {
            "world": world.name,
            "scenarios": scenarios,
            "agent": agent,
            "rules": rules,
            "seed": seed,
            "label": f"calibrate-{agent}-{rules}",
            "shared": True,
        }
    )
    done, _ = await running.campaign(
        settings,
        worlds={world.name: world},
        stack=stack,
        runs=runs,
        nonce=secrets.token_hex(8),
        tell=lambda _: None,
    )
    return Path(done.bundle)


def _print_trials(trials: Sequence[Trial], world: World, out: Console) -> None:
    table = Table("suspect", "scenario", "fails", "stopped by", "", box=None)
    for one in trials:
        fails = ", ".join(sorted(one.failed)) or "nothing"
        control = one.suspect.control if one.suspect.control in one.controls else ""
        table.add_row(one.name, one.suspect.scenario, fails, control or "", one.wrong or f"ok: {one.suspect.why}")
    out.print(table)
    out.print(f"not graded: {', '.join(world.ungraded)}", highlight=False, soft_wrap=True)


def _print_attack(attacked: Attacked, seed: int, out: Console) -> None:
    changed = attacked.caught + len(attacked.survivors)
    out.print(
        f"{attacked.runs} runs, {changed} changes (seed {seed}): {attacked.caught} caught of {attacked.facts} changed "
        f"facts, {_percent(attacked.share)} (at least {LEAST:.0%}); {changed - attacked.facts} of what is not graded; "
        f"of all changes {_percent(attacked.caught / changed if changed else 0.0)}",
        highlight=False,
        soft_wrap=True,
    )
    out.print(
        f"{attacked.reordered} reorderings that say the same: {len(attacked.alarms)} false alarms", highlight=False
    )
    for title, survivors in (
        ("false alarms", attacked.alarms),
        ("not caught", attacked.holes),
        ("not graded", tuple(one for one in attacked.survivors if one.ungraded)),
    ):
        _print_survivors(title, survivors, out)


def _print_survivors(title: str, survivors: Sequence[Survivor], out: Console) -> None:
    by_target: defaultdict[tuple[str, str], list[Survivor]] = defaultdict(list)
    for one in survivors:
        by_target[one.target, one.ungraded or "a hole"].append(one)
    if by_target:
        table = Table(title, "how", "runs", "why", box=None)
        for (target, why), found in sorted(by_target.items()):
            how = ", ".join(sorted({one.operator for one in found}))
            table.add_row(target, how, str(len(found)), why)
        out.print(table)


def _percent(share: float) -> str:
    """Rounded down: what was not all caught is never printed as 100 %."""
    return f"{int(share * 1000) / 10:.1f} %"
