"""What a program says inside a container of this machine: the engine is asked, and none is needed."""

import asyncio
import shutil
from asyncio.subprocess import DEVNULL, PIPE

SECONDS = 20.0


async def inside(port: int, *command: str) -> str | None:
    """What the command prints in the container that publishes the port. None when there is no engine, no such container
    or no answer in time: whoever asks has something to say without it."""
    docker = shutil.which("docker")
    if docker is None:
        return None
    try:
        async with asyncio.timeout(SECONDS):
            found = (await _printed(docker, "ps", "--quiet", "--filter", f"publish={port}")).split()
            return await _printed(docker, "exec", found[0], *command) if len(found) == 1 else None
    except (TimeoutError, OSError):
        return None


async def _printed(*command: str) -> str:
    process = await asyncio.create_subprocess_exec(*command, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL)
    try:
        said, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return said.decode(errors="replace")
