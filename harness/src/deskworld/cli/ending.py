"""How a command ends: with an exit code, or with what was wrong and the next step."""

import asyncio
import gc
import signal
from collections.abc import Awaitable, Callable
from typing import NoReturn

import uvloop
from rich.console import Console
from rich.text import Text

from deskworld.errors import ExitCode, HarnessError
from deskworld.report.plain import plain

SELDOM = (20_000, 50, 50)
err = Console(stderr=True)
out = Console()


class Finished(Exception):
    """A command came to its end, with this exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def finish(work: Callable[[], Awaitable[int]]) -> NoReturn:
    """Runs to an exit code. Ctrl-C and SIGTERM cancel the work, which closes what it opened. Raises Finished."""
    # what is imported stays, and what a campaign makes is mostly freed by itself: looking for garbage is for seldom
    gc.freeze()
    gc.set_threshold(*SELDOM)
    raise Finished(_code(lambda: uvloop.run(_cancellable(work))))


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
    err.print(Text.assemble(("error", "red"), f" {_shown(error.what)}"), soft_wrap=True)
    if error.next_step:
        err.print(Text.assemble(("next", "dim"), f"  {_shown(error.next_step)}"), soft_wrap=True)
    return ExitCode.BROKEN


def _shown(text: str) -> str:
    """What was wrong can be quoted from a file or a letter: nothing in it acts, and its lines stay lines."""
    return "\n".join(plain(line) for line in text.split("\n"))
