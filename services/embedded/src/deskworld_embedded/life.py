"""One embedded stack from its start to its end."""

import asyncio
import secrets
import shutil
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deskworld_embedded import stack_file
from deskworld_embedded.credentials import Credentials
from deskworld_embedded.errors import StackFailed, from_os_error
from deskworld_embedded.folders import Folders, check_name, folders
from deskworld_embedded.parts import Plan, environment, parts
from deskworld_embedded.ports import Ports, reserve
from deskworld_embedded.postgres.binaries import Binaries, binaries
from deskworld_embedded.postgres.cluster import Cluster, home_for
from deskworld_embedded.postgres.template import Template
from deskworld_embedded.scratch import Entry, Scratch, register, scratch, sweep
from deskworld_embedded.supervisor.journal import Journal
from deskworld_embedded.supervisor.launcher import Launcher
from deskworld_embedded.supervisor.nursery import AVAILABLE, Nursery
from deskworld_embedded.supervisor.processes import Processes
from deskworld_embedded.supervisor.supervise import Supervisor
from deskworld_embedded.told import told_to_end
from deskworld_kit import clock

_GRACE = 4.0

Tell = Callable[[Mapping[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Options:
    name: str
    folder: Path | None = None
    keep: bool = False
    keep_data: bool = False
    port_base: int | None = None
    within: float = 60.0


@dataclass(frozen=True, slots=True)
class Site:
    """What a stack has taken on this machine before anything runs."""

    stack_id: str
    options: Options
    place: Scratch
    folders: Folders
    programs: Binaries
    home: Path
    """Where Postgres lives; not always in the stack's folder."""
    entry: Entry

    def clear(self, *, failed: bool) -> None:
        """The logs of a stack that failed stay, for whoever reads why; in the temporary directory, until the next
        start."""
        if self.options.keep_data:
            self.entry.leave()
            return
        shutil.rmtree(self.home, ignore_errors=True)
        self.folders.remove(with_logs=not failed)
        if not (failed and self.options.folder is None):
            self.entry.leave()


def take_site(options: Options) -> Site:
    """Raises StackFailed."""
    check_name(options.name)
    place = scratch()
    sweep(place)
    stack_id = f"{options.name}-{secrets.token_hex(3)}"
    programs = binaries(place)
    taken = folders(options.folder, place, stack_id)
    home = home_for(taken, place, programs)
    leftovers = [] if options.keep_data else [home, *([taken.root] if taken.made else taken.contents)]
    return Site(stack_id, options, place, taken, programs, home, register(place, stack_id, leftovers))


class EmbeddedStack:
    """`up` once, then `down` once, whatever became of `up`."""

    def __init__(self, site: Site, processes: Processes) -> None:
        self._site = site
        self._journal = Journal(site.folders.log("supervisor"), site.folders.status_file)
        self._nursery = Nursery(processes, log=site.folders.log("nursery"), environment=environment())
        self._launcher = Launcher(processes, self._nursery)
        self._ports: Ports | None = None
        self._supervisor: Supervisor | None = None

    async def up(self) -> tuple[dict[str, Any], Mapping[str, float]]:
        """The stack file's contents, and after how many seconds each part was ready. Raises StackFailed."""
        began = clock.monotonic()
        site = self._site
        self._ports = reserve(stack_file.DOORS, base=site.options.port_base)
        cluster = Cluster(site.home, site.programs, site.folders.log("postgres"))
        plan = Plan(site.folders, self._ports, Credentials(), cluster, site.options.keep_data)
        all_parts = parts(plan)
        contents = stack_file.stack(site.stack_id, self._ports, plan.credentials, site.folders)
        if AVAILABLE:
            await self._nursery.start()  # first of all: what it imports takes longest
        await Template(site.place.cache, site.programs, self._launcher, environment()).settle_in(cluster)
        copied = clock.monotonic() - began
        self._supervisor = Supervisor(
            all_parts,
            launcher=self._launcher,
            journal=self._journal,
            about={"id": site.stack_id, "pid": contents["pid"]},
            began=began,
        )
        seconds = await self._supervisor.up(within=site.options.within)
        stack_file.write(site.folders.stack_file, contents)
        return contents, {"data": round(copied, 3), **seconds}

    def record(self, trouble: Exception) -> StackFailed:
        """A failure of a kind that nobody foresaw, for the logs."""
        self._journal.note("broken", trace=traceback.format_exception(trouble))
        reason = f"{type(trouble).__name__}: {trouble}"
        return StackFailed("stack", reason, next_step=f"read {self._journal.log}, and report it")

    async def down(self) -> None:
        self._site.folders.stack_file.unlink(missing_ok=True)
        if self._supervisor is not None:
            await self._supervisor.down(grace=_GRACE)
        await self._nursery.end()
        if self._ports is not None:
            self._ports.release()


async def live(options: Options, tell: Tell) -> int:
    """Brings a stack up, tells so or why not, and takes it down when told to. Answers the exit code."""
    processes = Processes()
    processes.attach()
    try:
        told = told_to_end(watch_stdin=not options.keep)
        site = take_site(options)
    except StackFailed as failure:
        tell(_failed(failure))
        return 3
    stack = EmbeddedStack(site, processes)
    failed = True
    try:
        contents, seconds = await _unless_told(told, stack)
        tell({"event": "ready", "stack": contents, "seconds": seconds})
        await told.wait()
        failed = False
    except StackFailed as failure:
        tell(_failed(failure))
    except OSError as error:
        tell(_failed(from_os_error("stack", error, doing="starting")))
    except Exception as trouble:  # noqa: BLE001 - the one place where it is recorded; the starter is told in any case
        tell(_failed(stack.record(trouble)))
    finally:
        await stack.down()
        site.clear(failed=failed)
    return 3 if failed else 0


async def _unless_told(told: asyncio.Event, stack: EmbeddedStack) -> tuple[dict[str, Any], Mapping[str, float]]:
    coming_up, waiting = asyncio.create_task(stack.up()), asyncio.create_task(told.wait())
    try:
        await asyncio.wait([coming_up, waiting], return_when=asyncio.FIRST_COMPLETED)
        if coming_up.done():
            return coming_up.result()
        raise StackFailed("stack", "was told to end before it was ready", next_step="start it again")
    finally:
        for task in (coming_up, waiting):
            task.cancel()
        await asyncio.gather(coming_up, waiting, return_exceptions=True)


def _failed(failure: StackFailed) -> Mapping[str, Any]:
    return {"event": "failed", "part": failure.part, "reason": failure.reason, "next": failure.next_step}
