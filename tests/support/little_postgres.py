"""A program that supervises one Postgres over the ledger's schema: `python -m tests.support.little_postgres FOLDER`."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

from deskworld_embedded.errors import StackFailed
from deskworld_embedded.folders import folders
from deskworld_embedded.postgres.binaries import binaries
from deskworld_embedded.postgres.cluster import Cluster, home_for
from deskworld_embedded.postgres.template import Schema, Template
from deskworld_embedded.scratch import scratch
from deskworld_embedded.supervisor.journal import Journal
from deskworld_embedded.supervisor.launcher import Launcher
from deskworld_embedded.supervisor.nursery import Nursery
from deskworld_embedded.supervisor.parts import Part
from deskworld_embedded.supervisor.processes import Processes
from deskworld_embedded.supervisor.supervise import Supervisor
from deskworld_embedded.told import told_to_end
from deskworld_kit import clock

PASSWORD = "of-this-test"


async def _main(root: Path) -> int:
    told = told_to_end(watch_stdin=True)
    processes = Processes()
    processes.attach()
    surroundings = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    began = clock.monotonic()
    place = scratch()
    programs = binaries(place)
    taken = folders(root, place, "little")
    cluster = Cluster(home_for(taken, place, programs), programs, taken.log("postgres"))

    async def settle() -> None:
        await cluster.give_passwords({"books_service": PASSWORD})

    supervisor: Supervisor | None = None
    nursery = Nursery(processes, log=taken.log("nursery"), environment=surroundings)
    launcher = Launcher(processes, nursery)
    try:
        schemas = (Schema("books", "tests.support.ledger", "nothing"),)
        await Template(place.cache, programs, launcher, surroundings, schemas).settle_in(cluster)
        part = Part(
            "postgres", cluster.server(), cluster.log, cluster.home, surroundings,
            probes=(cluster,), prepare=cluster.end_old_backends, settle=settle, orphan_signal=signal.SIGQUIT,
        )  # fmt: skip
        supervisor = Supervisor(
            (part,),
            launcher=launcher,
            journal=Journal(taken.log("supervisor"), taken.status_file),
            about={"pid": os.getpid()},
            began=began,
        )
        await supervisor.up(within=20)
        url = cluster.url("books_service", PASSWORD, "books")
        sys.stdout.write(
            json.dumps({"event": "ready", "url": url, "home": str(cluster.home), "seconds": clock.monotonic() - began})
            + "\n"
        )
        sys.stdout.flush()
        await told.wait()
    except StackFailed as failure:
        said = {"event": "failed", "part": failure.part, "reason": failure.reason, "next": failure.next_step}
        sys.stdout.write(json.dumps(said) + "\n")
        return 3
    finally:
        if supervisor is not None:
            await supervisor.down(grace=5)
        await nursery.end()
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(_main(Path(sys.argv[1]))))
