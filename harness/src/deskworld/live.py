"""Live progress on standard error: done, passed, in flight, time left; a line a case when asked."""

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from deskworld.run import Progress


class Live:
    def __init__(self, console: Console, *, verbose: bool) -> None:
        self._console = console
        self._verbose = verbose
        self._bar = Bar(
            TextColumn("cases"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[passed]} passed, {task.fields[in_flight]} in flight"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("", passed=0, in_flight=0)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._bar.stop()

    def tell(self, progress: Progress) -> None:
        self._bar.update(
            self._task,
            total=progress.planned,
            completed=progress.done,
            passed=progress.passed,
            in_flight=progress.in_flight,
        )
        last = progress.last
        if last is not None and self._verbose:
            word = "pass" if last.passed else "FAIL"
            self._console.print(
                f"{progress.done}/{progress.planned} {word} {last.scenario} seed {last.seed} {last.seconds:.3f} s",
                highlight=False,
            )
