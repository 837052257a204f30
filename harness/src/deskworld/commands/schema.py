"""The JSON Schema of the scenario files."""

import json

from rich.console import Console

from deskworld.commands import worlds
from deskworld.errors import ExitCode
from deskworld.schema import scenario_schema


def print_schema(world: str, *, out: Console) -> int:
    out.file.write(json.dumps(scenario_schema(worlds.named(world)), indent=2, ensure_ascii=False) + "\n")
    return ExitCode.PASS
