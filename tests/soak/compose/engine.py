"""The stack's containers as this machine's engine sees them: main processes, kills from outside, and coming back."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.compose.conftest import DOORS, KINDS, OF, UP_SECONDS, Company, run
from tests.support.servers import ROOT, free_ports

from deskworld.doors import clock, probe
from deskworld.errors import DoorFailed, StackUnavailable
from deskworld.stack import compose, dotenv
from deskworld.values.stack import Stack

PARTS = ("postgres", "mail", "identity", "policy", "erp", "desk", "token")
AGENT = "agent"
BACK_SECONDS = 180.0
LOOK_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Engine:
    company: Company
    stack: Stack
    settings: Mapping[str, str]

    async def main_process(self, part: str) -> int:
        """Its number on this machine; 0 while there is none."""
        name = self._container(part)
        return int(await asyncio.to_thread(run, "docker", "inspect", "-f", "{{.State.Pid}}", name))

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
        """Seconds until there is another main process, and its doors answer as they do to everybody: the engine's own
        word on a container's health may come twenty seconds late. Raises StackUnavailable."""
        began = clock.monotonic()
        while True:
            pid = await self.main_process(part)
            if pid not in (0, instead_of) and await self._answers(part):
                return clock.monotonic() - began
            if clock.monotonic() - began > BACK_SECONDS:
                raise StackUnavailable(
                    f"{part}: awaited another main process than {instead_of}, and its answers, for "
                    f"{BACK_SECONDS:.0f} s; last seen: main process {pid}",
                    next_step=f"docker logs {self._container(part)}",
                )
            await clock.pause(LOOK_SECONDS)

    async def _answers(self, part: str) -> bool:
        try:
            if part == "mail":
                await probe.banner("SMTP", self.stack.smtp, b"220")
                await probe.banner("IMAP", self.stack.imap, b"* OK")
            said = [await probe.said_by(part, url, path) for url, path in self._doors(part)]
        except DoorFailed:
            return False
        return all(one.status == 200 for one in said)

    def _doors(self, part: str) -> tuple[tuple[str, str], ...]:
        """Of the parts that can be seen from here; the database is seen through those who need it."""
        stack = self.stack
        erp, desk = (stack.erp, "/health"), (stack.desk, "/health")
        return {
            "erp": (erp, (stack.erp_stage, "/health")),
            "desk": (desk, (stack.desk_stage, "/health"), (stack.agent_door, "/health")),
            "postgres": (erp, desk),
            "policy": ((stack.policy, "/health"),),
            "identity": ((stack.issuer, "/.well-known/openid-configuration"),),
        }.get(part, ())

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
