"""The embedded stack as a process of its own: started, waited for, stopped. Nothing of it is imported."""

import asyncio
import contextlib
import json
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

import psutil
from pydantic import ValidationError

from deskworld.errors import StackUnavailable
from deskworld.values.stack import Stack

START_SECONDS = 90.0
"""A first start initialises the database template; a warm one takes two or three seconds."""
STOP_SECONDS = 20.0
LINE_BYTES = 1 << 20


@asynccontextmanager
async def started(name: str) -> AsyncIterator[Stack]:
    """A stack that lives as long as the block, and no longer than this process, however it ends."""
    with tempfile.TemporaryFile() as words:
        process = await _spawn(name, stdin=PIPE, stderr=words)
        try:
            yield await _ready(process, words)
        finally:
            await _end(process)


async def start_detached(name: str, more: Sequence[str] = ()) -> Stack:
    """A stack that goes on after this process; `stop` ends it. Raises StackUnavailable."""
    with tempfile.TemporaryFile() as words:
        process = await _spawn(name, "--keep", *more, stdin=DEVNULL, stderr=words)
        try:
            return await _ready(process, words)
        except BaseException:
            await _end(process)
            raise


async def stop(stack: Stack) -> bool:
    """Ends a detached stack's supervisor and waits for it; False when it was gone already."""
    supervisor = _supervisor(stack)
    if supervisor is None:
        return False
    try:
        supervisor.terminate()
        await asyncio.to_thread(supervisor.wait, STOP_SECONDS)
    except psutil.TimeoutExpired:
        raise StackUnavailable(
            f"the stack's supervisor (pid {stack.pid}) did not end within {STOP_SECONDS:.0f} s",
            next_step=f"look at {stack.logs}",
        ) from None
    except psutil.NoSuchProcess:
        return False
    return True


def is_running(stack: Stack) -> bool:
    return _supervisor(stack) is not None


def _supervisor(stack: Stack) -> psutil.Process | None:
    """The process of the stack file's pid, if it is still that stack's: a pid can belong to another program by now."""
    if stack.pid is None:
        return None
    try:
        process = psutil.Process(stack.pid)
        ours = "deskworld_embedded" in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return None
    return process if ours else None


async def measured(stack: Stack) -> dict[str, dict[str, float]]:
    """Memory by part and in `total`, in MB. Raises StackUnavailable."""
    file = Path(stack.folder or "") / "stack.json"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "deskworld_embedded", "measure", "--stack", str(file), stdout=PIPE, stderr=PIPE
    )
    out, err = await asyncio.wait_for(process.communicate(), 30)
    if process.returncode != 0:
        raise StackUnavailable(f"the stack's memory cannot be measured: {err.decode(errors='replace').strip()}")
    found: dict[str, dict[str, float]] = json.loads(out)
    return found


async def _spawn(name: str, *more: str, stdin: int, stderr: IO[bytes]) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "deskworld_embedded",
        "--name",
        name,
        *more,
        stdin=stdin,
        stdout=PIPE,
        stderr=stderr,
        # its own session: Ctrl-C is for the harness, which then stops the stack in order
        start_new_session=True,
        limit=LINE_BYTES,
    )


async def _ready(process: Process, words: IO[bytes]) -> Stack:
    assert process.stdout is not None  # noqa: S101 - _spawn pipes it
    try:
        line = await asyncio.wait_for(process.stdout.readline(), START_SECONDS)
    except TimeoutError:
        raise StackUnavailable(f"the embedded stack said nothing for {START_SECONDS:.0f} s") from None
    if not line:
        raise StackUnavailable(f"the embedded stack ended before it was ready: {await _last_words(process, words)}")
    said = json.loads(line)
    if said["event"] != "ready":
        raise StackUnavailable(
            f"the embedded stack did not start: {said['part']}: {said['reason']}", next_step=str(said.get("next", ""))
        )
    try:
        return Stack.model_validate(said["stack"])
    except ValidationError as error:
        raise StackUnavailable(f"the embedded stack described itself wrongly: {error.errors()[0]}") from error


async def _last_words(process: Process, words: IO[bytes]) -> str:
    code = await process.wait()
    words.seek(0)
    said = words.read().decode(errors="replace").strip().splitlines()
    return said[-1] if said else f"exit code {code}"


async def _end(process: Process) -> None:
    if process.stdin is not None:
        process.stdin.close()
    elif process.returncode is None:
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), STOP_SECONDS)
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
