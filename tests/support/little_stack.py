"""A program that supervises two little services, one forked off the nursery and one of its own:
`python -m tests.support.little_stack FOLDER MOOD`. It speaks as `python -m deskworld_embedded` does."""

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deskworld_embedded.errors import StackFailed
from deskworld_embedded.ports import LOOPBACK, reserve
from deskworld_embedded.supervisor.journal import Journal
from deskworld_embedded.supervisor.launcher import Launcher
from deskworld_embedded.supervisor.nursery import Nursery
from deskworld_embedded.supervisor.parts import Module, Part, Program
from deskworld_embedded.supervisor.probes import Health
from deskworld_embedded.supervisor.processes import Processes
from deskworld_embedded.supervisor.supervise import Supervisor
from deskworld_embedded.told import told_to_end
from deskworld_kit import clock

_SERVICE = "tests.support.little_service"


def _tell(event: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


async def _main(folder: Path, mood: str) -> int:
    told = told_to_end(watch_stdin=True)
    processes = Processes()
    processes.attach()
    ports = reserve(("forked", "own"))
    surroundings = {**os.environ, "PYTHONPATH": str(Path.cwd())}

    def part(name: str, run: Module | Program, mood: str, after: frozenset[str] = frozenset()) -> Part:
        settings = {**surroundings, "LITTLE_BIND": ports.bind(name), "LITTLE_MOOD": mood}
        probes = (Health(LOOPBACK, ports.numbers[name]),)
        return Part(name, run, folder / f"{name}.log", folder, settings, probes=probes, after=after)

    nursery = Nursery(processes, log=folder / "nursery.log", environment=surroundings)
    supervisor = Supervisor(
        (
            part("own", Program((sys.executable, "-m", _SERVICE)), "well"),
            part("forked", Module(_SERVICE, "nothing"), mood, after=frozenset({"own"})),
        ),
        launcher=Launcher(processes, nursery),
        journal=Journal(folder / "supervisor.log", folder / "status.json"),
        about={"pid": os.getpid()},
        began=clock.monotonic(),
    )
    try:
        await supervisor.up(within=5 if mood == "mute" else 30)
        _tell({"event": "ready", "ports": dict(ports.numbers)})
        await told.wait()
    except StackFailed as failure:
        _tell({"event": "failed", "part": failure.part, "reason": failure.reason, "next": failure.next_step})
        return 3
    finally:
        await supervisor.down(grace=2)
        await nursery.end()
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(_main(Path(sys.argv[1]), sys.argv[2])))
