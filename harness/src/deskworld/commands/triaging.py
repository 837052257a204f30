"""Triage: whose fault each failure is, by rule where that is certain, by a person where it is not."""

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.text import Text

from deskworld import bundle
from deskworld.commands import reporting
from deskworld.doors import clock
from deskworld.errors import ExitCode, UsageWrong
from deskworld.report import said, triage, words
from deskworld.report.plain import plain
from deskworld.values.report import Classed
from deskworld.values.verdict import CauseClass


def show(folder: Path, *, out: Console) -> int:
    """Every group with its next step. Exit code 1 while a failure is not classified. Raises BundleFailed."""
    found = triage.groups(_failed(folder))
    for one in found:
        for line in _lines(one, folder):
            out.print(line, soft_wrap=True)
        out.print()
    told = ", ".join(f"{cause} {count}" for cause, count in triage.counts(found).items())
    out.print(f"{told or 'no run failed'}", highlight=False, soft_wrap=True)
    return ExitCode.GATE_MISSED if any(one.cause == "unclassified" for one in found) else ExitCode.PASS


def classify(folder: Path, key: str, cause: CauseClass, note: str, by: str, *, out: Console) -> int:
    """Puts a group into a class, in the bundle's ledger. Counts, gates and acceptance stay as they were graded.

    Raises UsageWrong: there is no such group, or a rule already says whose fault it is.
    """
    found = [one for one in triage.groups(_failed(folder)) if one.key == key]
    if not found:
        raise UsageWrong(f"there is no group {key!r}", next_step=f"harness triage {folder} lists them")
    runs = [one for group in found for one in group.runs if one.verdict.cause in {None, "unclassified"}]
    if not runs:
        raise UsageWrong(
            f"group {key} is {found[0].cause} by rule, and that is certain",
            next_step=f"harness review {folder} --case {found[0].runs[0].index} --disagree --note WHY",
        )
    bundle.say(
        folder,
        said.line(
            Classed(
                group=key,
                runs=tuple(one.index for one in runs),
                cause=cause,
                note=note,
                by=by,
                at=clock.now().isoformat(),
            )
        ),
    )
    out.print(Text(plain(f"{len(runs)} runs of group {key} are {cause}, says {by}")), soft_wrap=True)
    return ExitCode.PASS


def _failed(folder: Path) -> Iterator[triage.Failed]:
    classed = said.classes(said.parsed(bundle.heard(folder)))
    for one in bundle.read_bundle(folder).cases():
        if not one.verdict.passed:
            turn = reporting.last_turn(one)
            yield triage.Failed(
                index=one.index,
                verdict=one.verdict,
                fingerprint=turn.fingerprint if turn else None,
                shown=turn.shown if turn else None,
                classed=classed.get(one.index),
            )


def _lines(group: triage.Group, folder: Path) -> Iterator[Text]:
    count = len(group.runs)
    by = ", a person's class" if group.by_person else ""
    yield Text.assemble((group.key, "bold"), f"  {count} run{'' if count == 1 else 's'} · {group.cause}{by}")
    for what in group.what:
        yield Text(f"  {plain(what)}")
    for scenario, seeds in group.scenarios.items():
        yield Text(f"  {plain(scenario)}: {words.seeds(seeds)}")
    if group.shown is not None:
        yield Text(f"  last turn {(group.fingerprint or '')[:12]}: {plain(group.shown)}", style="dim")
    yield Text(f"  next: {plain(group.next_step(str(folder)))}")
