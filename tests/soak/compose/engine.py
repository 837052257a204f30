"""The stack's containers as this machine's engine sees them: main processes, kills from outside, and coming back."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.compose.conftest import DOORS, KINDS, OF, UP_SECONDS, Company, run
from tests.support.servers import ROOT, free_ports

from deskworld.doors import clock
from deskworld.errors import StackUnavailable
from deskworld.stack import compose, dotenv
from deskworld.values.stack import Stack

PARTS = ("postgres", "mail", "identity", "policy", "erp", "desk", "token")
AGENT = "agent"
BACK_SECONDS = 180.0
LOOK_SECONDS, CHECK_SECONDS = 0.2, 5.0


@dataclass(frozen=True, slots=True)
class Engine:
    company: Company
    stack: Stack
    settings: Mapping[str, str]

    async def main_process(self, part: str) -> int:
        """Its number on this machine; 0 while there is none."""
        return int(await self._inspected(part, "{{.State.Pid}}"))

    async def runs(self, part: str) -> bool:
        said = await asyncio.to_thread(self.company.compose, "--profile", AGENT, "ps", "-q", part)
        return bool(said.strip())

    async def kill(self, part: str) -> int:
        """kill -9 of the main process, not through the engine, which would take it for the wish to stop the container:
        its number. Raises StackUnavailable when that is not allowed."""
        pid = await self.main_process(part)
        try:
            os.kill(pid, signal.SIGKILL)
        except (PermissionError, ProcessLookupError) as error:
            raise StackUnavailable(
                f"{part}: the main process {pid} cannot be killed from here: {error}",
                next_step="be root on the machine that the engine runs on",
            ) from error
        return pid

    async def back(self, part: str, *, instead_of: int) -> float:
        """Seconds until another main process is well by the container's own health check, which is run here and now:
        the engine runs it seldom. Raises StackUnavailable."""
        began = clock.monotonic()
        kind, *check = json.loads(await self._inspected(part, "{{json .Config.Healthcheck.Test}}"))
        asked = ("/bin/sh", "-c", *check) if kind == "CMD-SHELL" else tuple(check)
        while True:
            pid = await self.main_process(part)
            if pid not in (0, instead_of) and await self._does("docker", "exec", self._container(part), *asked):
                return clock.monotonic() - began
            if clock.monotonic() - began > BACK_SECONDS:
                raise StackUnavailable(
                    f"{part}: awaited another main process than {instead_of}, and health, for {BACK_SECONDS:.0f} s; "
                    f"last seen: main process {pid}",
                    next_step=f"docker logs {self._container(part)}",
                )
            await clock.pause(LOOK_SECONDS)

    async def restart(self) -> None:
        await self._compose("restart")
        await self._up()

    async def down_and_up(self) -> None:
        await self._compose("down")
        await self._up()

    async def start_agent(self) -> None:
        await self._compose("--profile", AGENT, "up", "-d", "--no-deps", "--wait", AGENT)

    async def stop_agent(self) -> None:
        await self._compose("--profile", AGENT, "rm", "--force", "--stop", AGENT)

    async def _up(self) -> None:
        await self._compose("up", "-d", "--wait")

    async def _compose(self, *arguments: str) -> None:
        await asyncio.to_thread(lambda: self.company.compose(*arguments, seconds=UP_SECONDS))

    async def _inspected(self, part: str, what: str) -> str:
        return (await asyncio.to_thread(run, "docker", "inspect", "-f", what, self._container(part))).strip()

    async def _does(self, *command: str) -> bool:
        """An engine that is busy with a container may answer for it twenty seconds late: not waited for."""
        process = await asyncio.create_subprocess_exec(
            *command, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
        )
        try:
            return await asyncio.wait_for(process.wait(), CHECK_SECONDS) == 0
        except TimeoutError:
            process.kill()
            await process.wait()
            return False

    def _container(self, part: str) -> str:
        return f"{self.company.project}-{part}-1"


@asynccontextmanager
async def own() -> AsyncIterator[Engine]:
    """A stack that is brought up for this, on free ports, and gone afterwards with all that it kept."""
    company = Company(f"deskworld-soak-{os.getpid()}", dict(zip(DOORS, free_ports(len(DOORS)), strict=True)))
    try:
        await asyncio.to_thread(lambda: company.compose("up", "-d", "--build", "--wait", seconds=UP_SECONDS))
        yield _engine(company, company.environment)
    finally:
        await asyncio.to_thread(company.compose, "--profile", AGENT, "down", "-v")
    for kind in KINDS:
        left = await asyncio.to_thread(run, "docker", kind, "ls", "-q", "--filter", f"label={OF}={company.project}")
        if left.strip():
            raise StackUnavailable(f"a {kind} of {company.project} is left: {left.strip()}")


async def running() -> Engine:
    """The compose stack that the environment, or .env, is about. Raises StackUnavailable when it does not answer."""
    settings = dotenv.settings(dotenv.home(Path(ROOT)), os.environ)
    found, met = await compose.running(settings)
    if found is None:
        raise StackUnavailable(met or "no compose stack is running", next_step="docker compose up -d --wait")
    ports = compose.ports(settings)
    company = Company(
        settings.get("COMPOSE_PROJECT_NAME") or "deskworld",
        {door: ports[door.lower()] for door in DOORS},
    )
    return _engine(company, settings)


def _engine(company: Company, settings: Mapping[str, str]) -> Engine:
    return Engine(company, compose.stack(settings, f"compose-{company.project}"), settings)
