"""The two databases of a stack as their superuser sees them, whoever runs the server."""

import json
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
from tests.support.stack import Stack

Session = Any
"""asyncpg's connection; the library has no types."""


@asynccontextmanager
async def session(stack: Stack, database: str, *, as_role: str | None = None) -> AsyncIterator[Session]:
    """`as_role`: what the role may do from then on, as if it had logged in."""
    connect: Any = asyncpg.connect
    connection = await connect(**_place(stack), user="postgres", database=database, timeout=10)
    try:
        if as_role is not None:
            await connection.execute(f"SET SESSION AUTHORIZATION {as_role}")
        yield connection
    finally:
        await connection.close()


def _place(stack: Stack) -> dict[str, Any]:
    if stack["kind"] == "embedded":
        return {"host": str(_socket_folder(stack)), "port": 5432}
    labels = [
        f"com.docker.compose.project={stack['id'].removeprefix('compose-')}",
        "com.docker.compose.service=postgres",
    ]
    found = _docker("ps", "-q", *(f"--filter=label={label}" for label in labels)).split()
    assert len(found) == 1, f"containers of Postgres with the labels {labels}: {found}"
    (about,) = json.loads(_docker("inspect", found[0]))
    environment = dict(line.split("=", 1) for line in about["Config"]["Env"])
    (network,) = about["NetworkSettings"]["Networks"].values()
    return {"host": network["IPAddress"], "port": 5432, "password": environment["POSTGRES_PASSWORD"]}


def _socket_folder(stack: Stack) -> Path:
    """Where the server that logs into this stack's folder has its socket: its own command line names it."""
    arguments = Path(f"/proc/{_server(stack)}/cmdline").read_text().split("\0")
    marker = "--unix-socket-directories="
    (folder,) = (one.removeprefix(marker) for one in arguments if one.startswith(marker))
    return Path(folder)


def _server(stack: Stack) -> int:
    status: dict[str, Any] = json.loads((Path(stack["folder"]) / "status.json").read_text())
    return int(status["parts"]["postgres"]["pid"])


def _docker(*command: str) -> str:
    return subprocess.run(["docker", *command], capture_output=True, text=True, check=True, timeout=30).stdout
