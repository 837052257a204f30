"""One data folder and the server over it."""

import os
import pwd
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import psutil
from asyncpg.exceptions import InterfaceError, PostgresError

from deskworld_embedded.errors import StackFailed
from deskworld_embedded.folders import Folders
from deskworld_embedded.postgres.binaries import Binaries
from deskworld_embedded.scratch import Scratch, passable
from deskworld_embedded.supervisor.parts import Program
from deskworld_embedded.supervisor.processes import gone

PORT = 5432
"""A name of the socket file; no TCP port is opened."""

_LONGEST_SOCKET_PATH = 100


@dataclass(frozen=True, slots=True)
class Cluster:
    """`home` belongs to the server's user and holds the data, the socket and who may connect."""

    home: Path
    programs: Binaries
    log: Path

    @property
    def data(self) -> Path:
        return self.home / "data"

    def url(self, role: str, password: str, database: str) -> str:
        return f"postgresql://{role}:{password}@/{database}?host={self.home}&port={PORT}"

    def server(self) -> Program:
        places = {
            "unix_socket_directories": str(self.home),
            "hba_file": str(self.home / "hba.conf"),
            "ident_file": str(self.home / "ident.conf"),
            "port": str(PORT),
        }
        options = [f"--{name.replace('_', '-')}={value}" for name, value in places.items()]
        return Program((self.programs.program("postgres"), "-D", str(self.data), *options), self.programs.user)

    @asynccontextmanager
    async def superuser(self, database: str = "template1") -> AsyncIterator[Any]:
        """A connection by the name of our own user at the socket: it needs no password."""
        connect: Any = asyncpg.connect  # it has no types
        connection = await connect(host=str(self.home), port=PORT, user="postgres", database=database, timeout=10)
        try:
            yield connection
        finally:
            await connection.close()

    async def ask(self) -> str | None:
        """Whether it takes connections: a probe."""
        try:
            async with self.superuser():
                return None
        except (OSError, PostgresError, InterfaceError, TimeoutError) as error:
            return f"{self.home}: {error or type(error).__name__}"

    async def give_passwords(self, passwords: Mapping[str, str]) -> None:
        """Raises StackFailed when the server did not take them."""
        try:
            async with self.superuser() as connection:
                for role, password in passwords.items():
                    await connection.execute(f"ALTER ROLE {role} PASSWORD '{password}'")
        except (OSError, PostgresError, InterfaceError) as error:
            reason = f"setting the passwords of the services: {error}"
            raise StackFailed("postgres", reason, next_step=f"read {self.log}") from error

    def write_access(self, *, trusting: bool = False) -> None:
        """Passwords for the services, and our own user as the superuser. `trusting`: every role may connect without a
        password; for the making of a template alone. Raises OSError."""
        ourselves = pwd.getpwuid(os.geteuid()).pw_name
        texts = {
            "hba.conf": f"local all postgres peer map=us\nlocal all all {'trust' if trusting else 'scram-sha-256'}\n",
            "ident.conf": f"us {ourselves} postgres\nus postgres postgres\n",
        }
        for name, text in texts.items():
            path = self.home / name
            path.write_text(text)
            path.chmod(0o600)
            own(path, self.programs)

    async def end_old_backends(self) -> None:
        """A server that was killed may have left processes that still use its data. They are killed too, because a new
        server refuses to start beside them; what they had committed is in the WAL."""
        if not (self.data / "postmaster.pid").exists():
            return
        for pid in _working_in(self.data):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            await gone(pid)


def own(path: Path, programs: Binaries) -> None:
    if programs.user is not None:
        os.chown(path, programs.user.uid, programs.user.gid)


def _working_in(folder: Path) -> list[int]:
    """Every process of a server has its data folder as its working folder."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.cwd() == str(folder) and process.pid != os.getpid():
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def home_for(folders: Folders, place: Scratch, programs: Binaries) -> Path:
    """In the stack's folder, unless the server's user cannot get there or its path is too long for a socket's name."""
    wanted = folders.root / "postgres"
    user = programs.user
    short = len(str(wanted / f".s.PGSQL.{PORT}").encode()) <= _LONGEST_SOCKET_PATH
    if short and (user is None or passable(wanted, user.uid, user.gid)):
        return wanted
    return place.root / f"pg-{folders.digest()}"
