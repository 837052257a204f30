"""Freezing a candidate before its held-out scenarios are run."""

from pathlib import Path

from rich.console import Console

from deskworld import agents, candidate, freezing, planning
from deskworld import run as running
from deskworld.doors import clock
from deskworld.errors import ExitCode
from deskworld.manifest import file_digest
from deskworld.values.campaign import Settings
from deskworld.worlds import WORLDS


def freeze(held_out: Path, agent: str, world: str, *, out: Console) -> int:
    ready = planning.prepared(Settings(world=world, agent=agent, held_out=str(held_out.resolve())), WORLDS)
    agents.check(agent)
    sha256 = candidate.digest(agent, control=running.scripted(agent))
    gates = file_digest(ready.gates_file) if ready.gates_file else None
    row = freezing.freeze(held_out, {"name": agent, "sha256": sha256}, gates, at=clock.now())
    out.print(f"frozen {row['at']}: {agent} {sha256 or '(its source is not here: its name alone)'}", highlight=False)
    out.print(f"gates {gates or 'none'}", highlight=False)
    names = [one.name for one in ready.chosen if one.split == "held-out"]
    digests = {name: file_digest(ready.files[name]) for name in names}
    spent = freezing.spent(held_out, row, digests)
    out.print(f"{len(names)} held-out scenarios, {len(spent)} spent{': ' if spent else ''}{', '.join(spent)}")
    return ExitCode.PASS
