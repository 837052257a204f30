"""What an agent did in the turns of a run, in tables."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from deskworld import bundle
from deskworld.errors import ExitCode
from deskworld.fingerprints import compared, known
from deskworld.fingerprints.turns import turns_of

SHORT = 12
"""Characters of a fingerprint that are shown."""


def show(run: Path, store: Path, *, new: bool, twin: bool, after: str | None, remember: bool, out: Console) -> int:
    """Raises BundleFailed. What is new is so by the store as it was before this run is remembered."""
    stored = bundle.read_bundle(run)
    turns = tuple(turns_of(stored.cases()))
    before = known.read(store)
    if after is not None:
        _print_after(compared.after(turns, after), after, out)
    if twin:
        _print_twins(compared.twins(turns, before), out)
    if not twin and after is None:
        _print_lines(compared.lines(turns, before), out, new=new)
    if remember:
        known.write(store, known.remembered(before, turns, run=stored.folder.name, at=stored.manifest["opened"]))
        out.print(f"remembered in {store}", highlight=False, soft_wrap=True)
    return ExitCode.PASS


def _print_lines(lines: Sequence[compared.Line], out: Console, *, new: bool) -> None:
    shown = [one for one in lines if one.before is None or not new]
    table = Table("told", "turns", "fingerprint", "seen before", "what it did", box=None)
    for one in shown:
        seen = f"{one.before.count}, {one.before.first[:10]} to {one.before.last[:10]}" if one.before else "new"
        table.add_row(one.label, str(one.turns), one.fingerprint[:SHORT], seen, one.shown)
    out.print(table)
    for label, (ways, turns) in compared.distinct(lines).items():
        out.print(f"{label}: {ways} ways in {turns} turns", highlight=False, soft_wrap=True)
    out.print(f"new: {sum(one.before is None for one in lines)} of {len(lines)} ways", highlight=False)


def _print_twins(twins: Sequence[compared.Twins], out: Console) -> None:
    if not twins:
        out.print("no attack was played together with its twin", highlight=False)
    for one in twins:
        out.print(
            f"{one.attack} ({one.under_attack} turns) beside {one.twin} ({one.without} turns)",
            highlight=False,
            soft_wrap=True,
        )
        table = Table("only", "told", "turns", "what it did", box=None)
        for where, lines in (("under attack", one.only_attack), ("without", one.only_twin)):
            for line in lines:
                table.add_row(where, line.label, str(line.turns), line.shown)
        out.print(table if table.row_count else "the same ways in both", highlight=False)


def _print_after(found: Sequence[compared.After], outcome: str, out: Console) -> None:
    table = Table("call", "code", "and then", "times", box=None)
    for one in found:
        table.add_row(one.tool, one.code, one.then, str(one.times))
    out.print(table if found else f"no call was {outcome}", highlight=False)
