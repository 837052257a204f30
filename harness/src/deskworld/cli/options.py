"""What several commands are asked with."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Switch(StrEnum):
    on = "on"
    off = "off"


StackFile = Annotated[
    Path | None, typer.Option("--stack", help="A stack file; else the running stack, else one of its own.")
]
World = Annotated[str, typer.Option(help="The kind of work.")]
Runs = Annotated[Path, typer.Option("--runs", help="Where run bundles go.")]
Json = Annotated[bool, typer.Option("--json", help="One object on standard output and nothing else there.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="A line for every case that ends.")]
