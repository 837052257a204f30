"""What the supervisor did and saw: one JSON line per event in its log, and the present state of each part in a file."""

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deskworld_embedded.files import write_private
from deskworld_kit import clock


@dataclass(frozen=True, slots=True)
class Journal:
    log: Path
    status: Path

    def note(self, event: str, **values: Any) -> None:
        line = json.dumps({"at": clock.now().isoformat(), "event": event, **values}) + "\n"
        with self._losing_nothing_else():
            handle = os.open(self.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                os.write(handle, line.encode())
            finally:
                os.close(handle)

    def show(self, state: dict[str, Any]) -> None:
        with self._losing_nothing_else():
            write_private(self.status, json.dumps({"schema": "deskworld/stack-status/1", **state}, indent=1))

    @contextlib.contextmanager
    def _losing_nothing_else(self) -> Iterator[None]:
        """A disk that is full must not end the supervision of parts that may well go on."""
        try:
            yield
        except OSError as error:
            sys.stderr.write(f"supervisor: cannot write {error.filename or self.log}: {error.strerror}\n")
