"""A compose stack of the tests' own, on free ports and under a name of its own; it is gone afterwards.

With COMPOSE_PROJECT_NAME and every DESKWORLD_PORT_* set, the stack of that name is brought up, used and left up; these
tests hurt it and mend it. They need an engine and the images (of infra/offline, or a registry): `make compose-tests`.
"""

import json
import os
import select
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.support.servers import ROOT, free_ports

from deskworld.stack import compose
from deskworld_kit import clock

DOORS = ("ERP", "ERP_STAGE", "DESK", "DESK_STAGE", "AGENT_DOOR", "IDENTITY", "POLICY", "SMTP", "SUBMISSION", "IMAP")
UP_SECONDS = 420  # a busy machine gives Keycloak less than a processor
HEALTH_WITHIN = 120.0


@dataclass(frozen=True, slots=True)
class Company:
    """The containers, as somebody at the engine sees them."""

    project: str
    ports: Mapping[str, int]

    def compose(self, *arguments: str, seconds: float = 120) -> str:
        return run("docker", "compose", *arguments, environment=self.environment, seconds=seconds)

    def inside(self, service: str, *command: str) -> str:
        return self.compose("exec", "-T", service, *command)

    def visit(self, network: str, script: str) -> Any:
        """What a Python script prints as JSON that runs in a container of its own on one of the networks."""
        name = f"{self.project}_{network}"
        done = run("docker", "run", "--rm", "-i", "--network", name, IMAGE_OF_A_VISITOR, "python", "-", sent=script)
        return json.loads(done)

    def addresses(self, network: str) -> dict[str, str]:
        """Where each service is on a network, and `host`, the machine's own address there."""
        (about,) = json.loads(run("docker", "network", "inspect", f"{self.project}_{network}"))
        found = {
            one["Name"].removeprefix(f"{self.project}-").rpartition("-")[0]: one["IPv4Address"].partition("/")[0]
            for one in about["Containers"].values()
        }
        return {**found, "host": about["IPAM"]["Config"][0]["Gateway"]}

    @property
    def stack(self) -> dict[str, Any]:
        """The stack file's contents, as docs/doors.md has them."""
        made: dict[str, Any] = compose.stack(self.environment, self.project).model_dump(mode="json", by_alias=True)
        return made

    @property
    def environment(self) -> dict[str, str]:
        named = {f"DESKWORLD_PORT_{door}": str(port) for door, port in self.ports.items()}
        return {**os.environ, "COMPOSE_PROJECT_NAME": self.project, **named}


IMAGE_OF_A_VISITOR = "deskworld/agent:0.1.0"


def run(
    *command: str | Path, environment: Mapping[str, str] | None = None, sent: str = "", seconds: float = 120
) -> str:
    done = subprocess.run(
        command, cwd=ROOT, env=environment, input=sent, capture_output=True, text=True, timeout=seconds, check=False
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}: {done.stderr}{done.stdout}"
    return done.stdout


def _unwell(company: Company) -> dict[str, str]:
    address = f"http://127.0.0.1:{company.ports['DESK']}/health"
    try:
        with urllib.request.urlopen(address, timeout=10) as answer:
            body, status = answer.read(), answer.status
    except urllib.error.HTTPError as error:
        body, status = error.read(), error.code
    checks: dict[str, str] = json.loads(body)["checks"]
    assert (status == 200) == (set(checks.values()) == {"ok"})
    return {part: words for part, words in checks.items() if words != "ok"}


def until_unwell(company: Company, parts: set[str]) -> dict[str, str]:
    """What the desk's health says of exactly these parts; none: that all is well."""
    deadline = clock.monotonic() + HEALTH_WITHIN
    pause = select.poll()  # with nothing to poll it is a pause of milliseconds
    while set(wrong := _unwell(company)) != parts:
        assert clock.monotonic() < deadline, f"awaited {parts} for {HEALTH_WITHIN} s; last seen {wrong}"
        pause.poll(200)
    return wrong


def _running() -> Company | None:
    ports = {door: int(os.environ.get(f"DESKWORLD_PORT_{door}", "0")) for door in DOORS}
    project = os.environ.get("COMPOSE_PROJECT_NAME")
    return Company(project, ports) if project and all(ports.values()) else None


@pytest.fixture(scope="session")
def company() -> Iterator[Company]:
    if running := _running():
        running.compose("--profile", "agent", "up", "-d", "--wait", seconds=UP_SECONDS)
        yield running
        return
    made = Company(f"deskworld-tests-{os.getpid()}", dict(zip(DOORS, free_ports(len(DOORS)), strict=True)))
    try:
        made.compose("--profile", "agent", "up", "-d", "--build", "--wait", seconds=UP_SECONDS)
        yield made
    finally:
        made.compose("--profile", "agent", "down", "-v")
    left = [run("docker", kind, "ls", "-q", "--filter", f"label={OF}={made.project}") for kind in KINDS]
    assert left == [""] * len(KINDS), f"something of {made.project} is left"


KINDS = ("container", "network", "volume")
OF = "com.docker.compose.project"
