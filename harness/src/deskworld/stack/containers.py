"""The compose stack for one test session, through testcontainers: `pip install 'deskworld[containers]'`."""

import hashlib
import os
import re
import secrets
import socket
import tempfile
from contextlib import ExitStack
from pathlib import Path
from subprocess import CalledProcessError

import psutil
from testcontainers.compose import DockerCompose

from deskworld.errors import StackUnavailable
from deskworld.stack import compose, dotenv
from deskworld.values.stack import Stack

OURS = "deskworld-" + hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]
"""Begins this machine's project names: a shared Docker may hold another machine's, which are not ours to end."""


class DeskworldStack(DockerCompose):
    """`with DeskworldStack(checkout) as it: … it.stack`: a project, ports and secrets of its own; up when a case could
    be seeded, gone with its volumes and networks afterwards.

    Needs no Ryuk: what a killed session left is ended by the next one. Entering raises StackUnavailable.
    """

    def __init__(self, checkout: Path, *, build: bool = False) -> None:
        if dotenv.home(checkout) != checkout:
            raise StackUnavailable(f"{checkout} holds no compose file", next_step="name a checkout of Deskworld")
        self._folder = ExitStack()
        self._project = f"{OURS}-{os.getpid()}-{secrets.token_hex(3)}"
        self._written = compose.settings_for(_free_ports()) | {"COMPOSE_PROJECT_NAME": self._project}
        # what is exported comes first, to Compose as to us
        self.settings = {**self._written, **os.environ}
        super().__init__(checkout, build=build)

    @property
    def stack(self) -> Stack:
        return compose.stack(self.settings, f"compose-{self._project}")

    def start(self) -> None:
        self.end_leftovers()
        home = Path(self._folder.enter_context(tempfile.TemporaryDirectory(prefix="deskworld-stack-")))
        self.env_file = [str(dotenv.write(home, self._written))]
        try:
            super().start()
        except CalledProcessError as error:
            raise StackUnavailable(
                f"docker compose did not bring the stack {self._project} up: {_last_words(error)}{self._unwell(error)}",
                next_step="does Docker run, and are the images there? `docker compose build`, or `make offline-images`",
            ) from error
        except FileNotFoundError as error:
            raise StackUnavailable("there is no `docker` here", next_step="install Docker with Compose") from error

    def stop(self, down: bool = True) -> None:  # noqa: FBT001, FBT002 - the library's signature
        if not self.env_file:
            return  # it was never started
        try:
            super().stop(down)
        except (CalledProcessError, FileNotFoundError) as error:
            raise StackUnavailable(
                f"the stack {self._project} was not taken down: {error}",
                next_step=f"`docker compose -p {self._project} down --volumes`",
            ) from error
        finally:
            self._folder.close()

    def _unwell(self, error: CalledProcessError) -> str:
        """What the containers said that Compose calls unhealthy; they are gone when somebody reads of it."""
        named = re.findall(rb"container [\w-]*?-([a-z-]+)-1 is unhealthy", error.stderr or b"")
        try:
            said = [(one.decode(), self.get_logs("--tail", "8", one.decode())[0].strip()) for one in named]
        except CalledProcessError:
            return ""
        return "".join(f"\n{part} said last:\n{text}" for part, text in said)

    def end_leftovers(self) -> None:
        for project in self._projects():
            pid = project.removeprefix(OURS + "-").partition("-")[0]
            if pid.isdecimal() and not psutil.pid_exists(int(pid)):
                self._run_command(["docker", "compose", "-p", project, "down", "--volumes"])

    def _projects(self) -> set[str]:
        """Also of stacks whose containers are gone already, and networks or volumes are not."""
        label = "com.docker.compose.project"
        asked = ["--filter", f"label={label}", "--format", f'{{{{.Label "{label}"}}}}']
        kinds = (["ps", "-a"], ["volume", "ls"], ["network", "ls"])
        try:
            listed = [self._run_command(["docker", *kind, *asked]) for kind in kinds]
        except (CalledProcessError, FileNotFoundError) as error:
            raise StackUnavailable(f"Docker does not answer: {error}", next_step="is it running?") from error
        found = {line.strip() for one in listed for line in one.stdout.decode().splitlines()}
        return {name for name in found if name.startswith(OURS + "-")}


def _free_ports() -> dict[str, int]:
    """Held together while they are chosen, so that none comes twice."""
    held = [socket.create_server((compose.LOOPBACK, 0)) for _ in compose.DOORS]
    try:
        return {door: int(one.getsockname()[1]) for door, one in zip(compose.DOORS, held, strict=True)}
    finally:
        for one in held:
            one.close()


def _last_words(error: CalledProcessError) -> str:
    lines = (error.stderr or b"").decode(errors="replace").strip().splitlines()
    return " / ".join(lines[-3:])[:600] or f"exit code {error.returncode}"
