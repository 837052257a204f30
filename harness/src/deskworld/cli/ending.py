"""How a command ends: with an exit code, or with what was wrong and the next step."""

import asyncio
import signal
from collections.abc import Awaitable, Callable
from typing import NoReturn

from rich.console import Console

from deskworld.errors import ExitCode, HarnessError

err = Console(stderr=True)
out = Console()


class Finished(Exception):
    """A command came to its end, with this exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def finish(work: Callable[[], Awaitable[int]]) -> NoReturn:
    """Runs to an exit code. Ctrl-C and SIGTERM cancel the work, which closes what it opened. Raises Finished."""
    raise Finished(_code(lambda: asyncio.run(_cancellable(work))))


def finish_now(work: Callable[[], int]) -> NoReturn:
    """The same for work that waits for nothing. Raises Finished."""
    raise Finished(_code(work))


def refuse(error: HarnessError) -> NoReturn:
    """The call cannot be understood. Raises Finished."""
    raise Finished(_complain(error))


def _code(work: Callable[[], int]) -> int:
    try:
        return work()
    except HarnessError as error:
        return _complain(error)
    except asyncio.CancelledError:
        err.print("[yellow]interrupted[/]; what was done until then is in the bundle, marked interrupted")
        return ExitCode.BROKEN
    except BaseExceptionGroup as group:
        return _complain(_first(group))


async def _cancellable(work: Callable[[], Awaitable[int]]) -> int:
    task = asyncio.ensure_future(work())
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    return await task


def _first(group: BaseExceptionGroup[BaseException]) -> HarnessError:
    """The first harness error of a group; anything else is a defect and goes up as it is."""
    ours, rest = group.split(HarnessError)
    if ours is None or (rest is not None and rest.subgroup(lambda e: not isinstance(e, asyncio.CancelledError))):
        raise group
    error: BaseException = ours
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    assert isinstance(error, HarnessError)  # noqa: S101 - split() says so
    return error


def _complain(error: HarnessError) -> int:
    err.print(f"[red]error[/] {error.what}", markup=True, highlight=False, soft_wrap=True)
    if error.next_step:
        err.print(f"[dim]next[/]  {error.next_step}", highlight=False, soft_wrap=True)
    return ExitCode.BROKEN
