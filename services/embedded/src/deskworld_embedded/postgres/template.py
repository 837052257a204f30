"""A data folder made once and kept in the cache: initialised, with roles, databases and all migrations.

Its name is a digest of what it was made from, so that another server version or another schema makes another one.
"""

import asyncio
import contextlib
import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deskworld_embedded.errors import StackFailed, ended_early, from_os_error
from deskworld_embedded.postgres.binaries import Binaries
from deskworld_embedded.postgres.cluster import PORT, Cluster, own
from deskworld_embedded.postgres.configuration import settings_text
from deskworld_embedded.supervisor.launcher import Launcher
from deskworld_embedded.supervisor.parts import Module, Part, Program
from deskworld_embedded.supervisor.processes import Running
from deskworld_kit import clock

_MADE_WITHIN = 180.0
_KEPT = 3
_INITDB = ("-U", "postgres", "-E", "UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8",
           "--no-sync", "--no-instructions", "--auth=reject", "--wal-segsize=4")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Schema:
    """A database, and the package whose `migrate` module brings it to its head."""

    database: str
    package: str
    needs: str = "services"
    """What is to be imported before its migrations are forked off."""

    @property
    def roles(self) -> tuple[str, str]:
        return f"{self.database}_owner", f"{self.database}_service"

    @property
    def url_setting(self) -> str:
        return f"{self.database.upper()}_MIGRATION_URL"


SCHEMAS = (Schema("erp", "deskworld_erp"), Schema("desk", "deskworld_desk"))


@dataclass(frozen=True, slots=True)
class Template:
    cache: Path
    programs: Binaries
    launcher: Launcher
    environment: Mapping[str, str]
    schemas: Sequence[Schema] = SCHEMAS

    async def settle_in(self, cluster: Cluster) -> None:
        """Gives the cluster a home with data: what was kept there, or a copy of the template, which is made first where
        there is none. The copy appears whole or not at all. Raises StackFailed."""
        try:
            key = self._key()
            kept = self.cache / f"template-{key}"
            cluster.home.mkdir(mode=0o700, exist_ok=True)
            own(cluster.home, self.programs)
            cluster.write_access()
            if cluster.data.exists():
                _check_same(cluster, key)
                return
            async with _locked(self.cache / f"template-{key}.lock"):
                if not _is_whole(kept):
                    shutil.rmtree(kept, ignore_errors=True)
                    await self._make(kept, cluster.log.with_name("template.log"))
                    self._forget_older(kept)
                (kept / "manifest.json").touch()
                _made_of(cluster).write_text(key)
                await self._copy(kept / "data", cluster)
        except OSError as error:
            raise from_os_error("postgres", error, doing="preparing the data folder") from error

    async def _copy(self, source: Path, cluster: Cluster) -> None:
        draft = cluster.home / "data.draft"
        shutil.rmtree(draft, ignore_errors=True)
        await self._run(cluster, ("cp", "-Rp", str(source), str(draft)), doing="copying the data folder")
        draft.rename(cluster.data)

    def _key(self) -> str:
        digest = hashlib.sha256()
        user = self.programs.user.name if self.programs.user else ""
        for text in (self.programs.version, settings_text(self.programs.version), user, repr(_INITDB)):
            digest.update(text.encode() + b"\0")
        digest.update(Path(__file__).read_bytes())
        for package in ("deskworld_kit", *(schema.package for schema in self.schemas)):
            for path in _sources(package):
                digest.update(f"{package}/{path}\0".encode() + path.read_bytes() + b"\0")
        return digest.hexdigest()[:20]

    async def _make(self, kept: Path, log: Path) -> None:
        home = kept.with_name(f".{kept.name}")
        shutil.rmtree(home, ignore_errors=True)  # of a stack that was killed while it made one
        home.mkdir(mode=0o700)
        try:
            own(home, self.programs)
            cluster = Cluster(home, self.programs, log)
            cluster.write_access(trusting=True)
            initdb = (self.programs.program("initdb"), "-D", str(cluster.data), *_INITDB)
            await self._run(cluster, initdb, doing="initdb")
            with (cluster.data / "postgresql.conf").open("a") as configuration:
                configuration.write(settings_text(self.programs.version))
            await self._fill(cluster)
            count = sum(1 for _ in cluster.data.rglob("*"))
            (home / "manifest.json").write_text(json.dumps({"files": count, "postgres": self.programs.version}))
            home.rename(kept)
        finally:
            shutil.rmtree(home, ignore_errors=True)

    async def _fill(self, cluster: Cluster) -> None:
        server = await self.launcher.start(self._part(cluster, cluster.server()))
        try:
            await _up(cluster, server)
            await _roles(cluster, self.schemas)
            await asyncio.gather(*(self._migrate(cluster, schema) for schema in self.schemas))
        finally:
            server.send(signal.SIGINT)
            if not await server.end_within(20):
                server.send(signal.SIGKILL)
            how = await server.ended
        if how != "ended with status 0":
            raise ended_early("postgres", f"the server that made the template {how}", cluster.log)

    async def _migrate(self, cluster: Cluster, schema: Schema) -> None:
        url = f"postgresql://{schema.roles[0]}@/{schema.database}?host={cluster.home}&port={PORT}"
        part = Part(
            "postgres",
            Module(f"{schema.package}.migrate", schema.needs),
            # A log of its own: what failed is to be told apart from what the server said meanwhile.
            cluster.log.with_name(f"migrating-{schema.database}.log"),
            self.cache,
            {**self.environment, schema.url_setting: url},
        )
        await self.launcher.run_to_end(part, doing=f"migrating the database {schema.database}")

    async def _run(self, cluster: Cluster, argv: Sequence[str], *, doing: str) -> None:
        await self.launcher.run_to_end(self._part(cluster, Program(argv, self.programs.user)), doing=doing)

    def _part(self, cluster: Cluster, program: Program) -> Part:
        return Part("postgres", program, cluster.log, cluster.home, self.environment, orphan_signal=signal.SIGQUIT)

    def _forget_older(self, kept: Path) -> None:
        """Templates that nobody has used for long, and half-made ones; one that is in use is locked and stays."""
        others = [path for path in self.cache.glob("template-*") if path.is_dir() and path != kept]
        others.sort(key=lambda path: (path / "manifest.json").stat().st_mtime if _is_whole(path) else 0.0)
        for path in (*self.cache.glob(".template-*"), *others[: max(0, len(others) - _KEPT + 1)]):
            lock = path.with_name(path.name.removeprefix(".") + ".lock")
            handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                if _got(handle):
                    shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(handle)


def _made_of(cluster: Cluster) -> Path:
    return cluster.home / "made-of"


def _check_same(cluster: Cluster, key: str) -> None:
    path = _made_of(cluster)
    if not path.exists() or path.read_text() != key:
        reason = f"the data kept in {cluster.data} was made by another version of Deskworld"
        raise StackFailed("postgres", reason, next_step="remove that folder, or choose another one with --folder")


def _sources(package: str) -> list[Path]:
    """All of a package: what its migrations make depends on its tables and data files too, wherever they stand.
    Raises StackFailed when it is not there."""
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        raise StackFailed("postgres", f"the package {package} is not installed", next_step="run `make setup`")
    files = (path for path in Path(found.origin).parent.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return sorted(files)


def _is_whole(kept: Path) -> bool:
    """Whoever cleans temporary folders by age may have taken some of its files."""
    try:
        expected = int(json.loads((kept / "manifest.json").read_text())["files"])
    except (OSError, ValueError, KeyError):
        return False
    return sum(1 for _ in (kept / "data").rglob("*")) == expected


async def _up(cluster: Cluster, server: Running) -> None:
    try:
        async with asyncio.timeout(30):
            while (seen := await cluster.ask()) is not None:
                if await server.end_within(0.02):
                    how = server.ended.result()
                    raise ended_early("postgres", f"the server {how}", cluster.log)
    except TimeoutError as error:
        reason = f"the server took no connection within 30 s; last seen: {seen}"
        raise StackFailed("postgres", reason, next_step="is the machine overloaded? Then again") from error


async def _roles(cluster: Cluster, schemas: Sequence[Schema]) -> None:
    """The owner makes the tables; the service may do what the migrations grant it."""
    async with cluster.superuser() as connection:
        for schema in schemas:
            owner, service = schema.roles
            await connection.execute(f"CREATE ROLE {owner} LOGIN")
            await connection.execute(f"CREATE ROLE {service} LOGIN")
            await connection.execute(f"CREATE DATABASE {schema.database} OWNER {owner} STRATEGY FILE_COPY")
            await connection.execute(f"REVOKE ALL ON DATABASE {schema.database} FROM PUBLIC")
            await connection.execute(f"GRANT CONNECT ON DATABASE {schema.database} TO {service}")


@contextlib.asynccontextmanager
async def _locked(path: Path) -> AsyncIterator[None]:
    """One stack at a time; the lock of one that dies is free at once. Raises StackFailed."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            async with asyncio.timeout(_MADE_WITHIN):
                while not _got(handle):
                    await clock.pause(0.02)
        except TimeoutError as error:
            reason = f"another stack has held {path} for {_MADE_WITHIN:g} s"
            raise StackFailed(
                "postgres", reason, next_step="see what it does; the lock is free when it ends"
            ) from error
        yield
    finally:
        os.close(handle)


def _got(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
