"""Fingerprints on the command line."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from deskworld.cli.ending import finish_now, out
from deskworld.commands import fingerprinting


class Outcome(StrEnum):
    refused = "REFUSED"
    failed = "FAILED"


def fingerprints(
    run: Annotated[Path, typer.Argument(help="A closed bundle.")],
    new: Annotated[bool, typer.Option("--new", help="Only what the store does not know.")] = False,
    twin: Annotated[bool, typer.Option("--twin", help="Each attack beside its benign twin.")] = False,
    after: Annotated[Outcome | None, typer.Option(help="What came after a call that ended so.")] = None,
    remember: Annotated[bool, typer.Option("--remember", help="Add this run to the store, once.")] = False,
    known: Annotated[Path, typer.Option(help="The store of what was seen before.")] = Path("runs/fingerprints.json"),
) -> None:
    """What the agent did in its turns, grouped by what it was told."""
    outcome = after.value if after else None
    finish_now(lambda: fingerprinting.show(run, known, new=new, twin=twin, after=outcome, remember=remember, out=out))
