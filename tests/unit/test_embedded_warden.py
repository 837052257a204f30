"""Where the kernel does not end orphans, the warden does."""

import os
import signal

import psutil
from tests.support.processes import Program, all_gone

from deskworld_embedded.supervisor.warden import watch

_STARTS_ONE = """
import asyncio, json, os, sys
from pathlib import Path
from deskworld_embedded.supervisor.parts import Program
from deskworld_embedded.supervisor.processes import Processes

async def main():
    processes = Processes(with_warden=True)
    processes.attach()
    surroundings, root = dict(os.environ), Path("/")
    early = processes.start(Program((sys.executable, "-c", "pass")), environment=surroundings, folder=root, output=2)
    await early.ended
    # As where the kernel knows no such wish: the child frees itself of it before it says that it is there.
    free = "import ctypes, os, signal; ctypes.CDLL(None).prctl(1, 0)"
    said = "print('{\\"child\\":', os.getpid(), '}', flush=True)"
    program = Program((sys.executable, "-c", f"{free}; {said}; signal.pause()"))
    child = processes.start(program, environment=surroundings, folder=root, output=1)
    await child.ended

asyncio.run(main())
"""


def test_only_children_that_still_run_are_ended() -> None:
    assert watch(["+11 9\n", "+12 3\n", "-11\n", "+13 9\n", "-99\n"]) == {12: 3, 13: 9}


def test_the_children_of_a_killed_supervisor_are_ended_by_its_warden() -> None:
    stack = Program(["tests.support.run_text", _STARTS_ONE])
    try:
        child = psutil.Process(stack.says(within=60)["child"])
        family = stack.family()
        assert len(family) == 3
        os.kill(stack.process.pid, signal.SIGKILL)
        assert all_gone([child, *family], within=20) == []
    finally:
        stack.close()
