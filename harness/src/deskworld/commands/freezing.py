"""Freezing a candidate before its held-out scenarios are run."""

from pathlib import Path

from rich.console import Console

from deskworld import agents, freezing, planning
from deskworld import run as running
from deskworld.doors import clock
from deskworld.errors import ExitCode
from deskworld.manifest import file_digest
from deskworld.values.campaign import Settings
from deskworld.worlds import WORLDS


def freeze(held_out: Path, agent: str, world: str, *, playbook: str | None = None, out: Console) -> int:
    settings = Settings(world=world, agent=agent, playbook=playbook, held_out=str(held_out.resolve()))
    ready = planning.prepared(settings, WORLDS)
    agents.check(agent, Path(playbook) if playbook else None)
    who = running.candidate_of(settings)
    sha256 = who["sha256"]
    gates = file_digest(ready.gates_file) if ready.gates_file else None
    row = freezing.freeze(held_out, who, gates, at=clock.now())
    out.print(f"frozen {row['at']}: {agent} {sha256 or '(its source is not here: its name alone)'}", highlight=False)
    out.print(f"gates {gates or 'none'}", highlight=False)
    names = [one.name for one in ready.chosen if one.split == "held-out"]
    digests = {name: file_digest(ready.files[name]) for name in names}
    spent = freezing.spent(held_out, row, digests)
    out.print(f"{len(names)} held-out scenarios, {len(spent)} spent{': ' if spent else ''}{', '.join(spent)}")
    return ExitCode.PASS
