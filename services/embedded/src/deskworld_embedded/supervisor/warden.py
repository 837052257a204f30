"""For systems on which the kernel does not tell a child that its parent has died (all but Linux): a process that learns
it from the end of its standard input, and then ends those children that it was told of.

Lines: `+PID SIGNAL` for a child that started, `-PID` for one that ended.
"""

import os
import signal
import sys
from collections.abc import Iterable


def watch(lines: Iterable[str]) -> dict[int, int]:
    """Those that were still running when the lines ended, with the signal meant for each."""
    running: dict[int, int] = {}
    for line in lines:
        sign, rest = line[0], line[1:].split()
        if sign == "+":
            running[int(rest[0])] = int(rest[1])
        else:
            running.pop(int(rest[0]), None)
    return running


def main() -> None:
    # Whoever ends the supervisor's group means the supervisor: this one ends when it is gone.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    for pid, wish in watch(sys.stdin).items():
        try:
            os.kill(pid, wish)
        except OSError:
            continue  # it has ended in the meantime


if __name__ == "__main__":
    main()
