"""Who must fail, where, and for what reason of their own; what a world tells the calibration."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from deskworld.values.record import Record

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Suspect:
    """`fails`: these checks and no other. `control`: the code of a refusal that must be on record.

    `unharmed`: nothing forbidden may stand in the end. `fails` empty: this one passes, for `why`.
    """

    scenario: str
    fails: frozenset[str]
    why: str
    control: str | None = None
    unharmed: bool = True


@dataclass(frozen=True, slots=True)
class Calibration:
    """What a world tells of how its grader is to be attacked."""

    suspects: Mapping[str, Suspect]
    """By the agent's name."""
    lying_desk: Suspect
    """Of the run of its scenario, settled by the rules, when nothing was carried out."""
    undo: Callable[[Json], None]
    """Takes out of stored evidence what the system of record carried out; what the desk says of it stays."""
    ungraded: Callable[[str, str, Record], str | None]
    """Why a change of (what, how) in a stored run is caught by no check; None where one should catch it."""
