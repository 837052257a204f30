"""The harness's errors, named by the boundary that was crossed. Each carries what to do next."""

from enum import IntEnum


class ExitCode(IntEnum):
    PASS = 0
    GATE_MISSED = 1
    INCONCLUSIVE = 2
    BROKEN = 3


class HarnessError(Exception):
    """Something outside the case itself: usage, stack, file. Ends with exit code 3."""

    def __init__(self, what: str, *, next_step: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.next_step = next_step


class ScenarioInvalid(HarnessError):
    """A scenario file that cannot be used: names the file, the line and the key."""


class StackUnavailable(HarnessError):
    """No stack answers, or it is not in order."""


class StageFailed(HarnessError):
    """The stage door did not do what the simulation needed."""


class DoorFailed(HarnessError):
    """An office door did not answer as its page says."""


class PersonSlipped(HarnessError):
    """A scripted person did what the script does not cover: the run is void."""


class BundleFailed(HarnessError):
    """The run bundle cannot be written or does not hold what its digest says."""


class UsageWrong(HarnessError):
    """The command line asks for something that does not exist."""
