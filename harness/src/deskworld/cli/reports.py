"""What people read of a campaign, and what they say of it."""

import getpass
import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from deskworld.cli.ending import err, finish_now, out, refuse
from deskworld.commands import costing, reporting, reviewing, triaging
from deskworld.errors import UsageWrong
from deskworld.values.verdict import CauseClass

Run = Annotated[Path, typer.Argument(help="The folder of a run, as `harness run` printed it.")]
By = Annotated[str | None, typer.Option("--by", help="Who says so; else the user of this machine.")]


class Format(StrEnum):
    html = "html"
    md = "md"
    json = "json"
    junit = "junit"
    letter = "letter"


class Cause(StrEnum):
    model = "model"
    our_system = "our-system"
    scorer = "scorer"
    infrastructure = "infrastructure"


CAUSES: dict[Cause, CauseClass] = {
    Cause.model: "model",
    Cause.our_system: "our system",
    Cause.scorer: "scorer",
    Cause.infrastructure: "infrastructure",
}


def report(
    run: Run,
    form: Annotated[Format, typer.Option("--format", help="letter: one page for the person who signs.")] = Format.md,
    to: Annotated[Path | None, typer.Option("--to", help="A file that is not there yet; else standard output.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over the file of --to.")] = False,
    gates: Annotated[
        bool, typer.Option("--gates", help="End with the campaign's exit code; junit: a suite of the gates too.")
    ] = False,
    known: Annotated[
        Path | None, typer.Option(help="The store of known fingerprints; else the one beside the run.")
    ] = None,
) -> None:
    """The report of a stored campaign, for people, programs, CI, or the person who signs."""
    finish_now(lambda: reporting.make(run, form.value, to, store=known, gates=gates, force=force, out=out))


def triage(
    run: Run,
    group: Annotated[str | None, typer.Argument(help="A group of failures; else all are listed.")] = None,
    cause: Annotated[Cause | None, typer.Option(help="Whose fault this group is.")] = None,
    note: Annotated[str, typer.Option(help="Why.")] = "",
    by: By = None,
) -> None:
    """Failures by whose fault they are, with the next step; put a group that no rule decides into its class."""
    if (group is None) != (cause is None):
        refuse(UsageWrong("a group and its --cause go together", next_step=f"harness triage {run} lists the groups"))
    if group is None or cause is None:
        finish_now(lambda: triaging.show(run, out=out))
    finish_now(lambda: triaging.classify(run, group, CAUSES[cause], note, _who(by), out=out))


def review(
    run: Run,
    case: Annotated[int | None, typer.Option(min=0, help="This run alone, by its number.")] = None,
    agree: Annotated[bool | None, typer.Option("--agree/--disagree", help="Of --case, without being asked.")] = None,
    about: Annotated[list[str] | None, typer.Option(help="Which of what is not graded; may be given often.")] = None,
    note: Annotated[str, typer.Option(help="What is wrong, or what was seen.")] = "",
    again: Annotated[bool, typer.Option("--again", help="Also runs that a person reviewed before.")] = False,
    model: Annotated[str | None, typer.Option(help="A model says so: counted apart from people.")] = None,
    by: By = None,
) -> None:
    """Read what the agent wrote beside what its tools returned, run by run, and say whether the grade is right."""
    who = reviewing.Reviewer(_who(by), model)
    if agree is None:
        finish_now(lambda: reviewing.walk(run, who, _ask, case=case, again=again, out=out))
    if case is None:
        refuse(UsageWrong("--agree and --disagree are about one run", next_step="name it: --case 12"))
    said = reviewing.Saying(agree, tuple(about or ()), note)
    finish_now(lambda: reviewing.record(run, case, who, said, out=out))


def cost(
    run: Run,
    prices: Annotated[Path | None, typer.Option(help="A file of prices by model; none is built in.")] = None,
    bill: Annotated[str | None, typer.Option(help="What the provider charged, in the currency of --prices.")] = None,
) -> None:
    """Tokens by role and model as they were reported, an estimate by your prices, and whether a count is missing."""
    finish_now(lambda: costing.show(run, prices, bill, out=out))


def _ask(question: str) -> str:
    """From a terminal or a pipe; nothing where it has ended."""
    err.print(question, end="", markup=False, highlight=False)
    return sys.stdin.readline()


def _who(given: str | None) -> str:
    return given or os.environ.get("USER") or getpass.getuser()
