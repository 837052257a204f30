"""What a stack costs in memory, part by part."""

from collections.abc import Mapping
from pathlib import Path

import psutil

from deskworld_embedded.supervisor.processes import NAME_PREFIX

_MEGABYTE = 1024 * 1024


def measure(pid: int) -> Mapping[str, Mapping[str, float]]:
    """Megabytes of each part of the stack whose supervisor is `pid`, and of all: {part: {pss_mb, rss_mb, processes}}.

    PSS counts a page that n processes share as 1/n in each, so its sum is what the machine spends; the sum of RSS
    counts such pages n times. PSS is there on Linux only, and -1 elsewhere. Raises OSError when
    there is no such process.
    """
    try:
        supervisor = psutil.Process(pid)
        members = [supervisor, *supervisor.children(recursive=True)]
    except psutil.NoSuchProcess as error:
        raise ProcessLookupError(f"no process {pid}") from error
    found: dict[str, dict[str, float]] = {}
    for process in members:
        try:
            part = "supervisor" if process.pid == pid else _part(process)
            pss, rss = _memory(process)
        except (psutil.Error, OSError):
            continue  # it ended while we looked
        for name in (part, "total"):
            sums = found.setdefault(name, {"pss_mb": 0.0, "rss_mb": 0.0, "processes": 0})
            sums["pss_mb"] = round(sums["pss_mb"] + pss, 1)
            sums["rss_mb"] = round(sums["rss_mb"] + rss, 1)
            sums["processes"] += 1
    return found


def _part(process: psutil.Process) -> str:
    """Forked services are named after their part; programs of their own after what they run."""
    name = process.name()
    if name.startswith(NAME_PREFIX):
        return name.removeprefix(NAME_PREFIX)
    if name.startswith("postgres"):
        return "postgres"
    command = process.cmdline()
    module = command[command.index("-m") + 1] if "-m" in command[:-1] else name
    return module.rpartition(".")[2].removeprefix("deskworld_")


def _memory(process: psutil.Process) -> tuple[float, float]:
    rss = process.memory_info().rss / _MEGABYTE
    rollup = Path(f"/proc/{process.pid}/smaps_rollup")
    if not rollup.exists():
        return -1.0, rss
    for line in rollup.read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024, rss
    return 0.0, rss
