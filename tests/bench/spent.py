"""CPU that processes have used."""

import psutil


def cpu_seconds(process: psutil.Process) -> float:
    """Until now, with its children that ended and were reaped, so that a database's connection that is closed takes
    nothing out of a sum; those that still run count for themselves. Raises psutil.Error for a process that is gone."""
    times = process.cpu_times()
    return float(times.user + times.system + times.children_user + times.children_system)
