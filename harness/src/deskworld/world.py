"""What a world is: one frozen value. Nothing generic knows a world by name.

The generic half of the harness compiles, plays, settles, scores, counts and reports through what stands here.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel

from deskworld.values.case import Case, Happens, Part, Seeded
from deskworld.values.draws import Draws
from deskworld.values.evidence import Evidence
from deskworld.values.record import MailSeen, Move, Record, View
from deskworld.values.scenario import Scenario
from deskworld.values.stack import Stack
from deskworld.values.suspect import Calibration
from deskworld.values.verdict import Check


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that a play hears: a timeline row, how a case stands, mail that arrived outside, a move that was made,
    or that a door broke."""

    row: Mapping[str, Any] | None = None
    view: View | None = None
    mail: MailSeen | None = None
    made: Move | None = None
    broken: str | None = None


Feed = asyncio.Queue[Happening]
"""What happens around one case, in order. Nothing is missed from the moment it was opened."""


SeedSituation = Callable[[Case], Awaitable[Seeded]]
HearWitness = Callable[[Record], Awaitable[dict[str, Any]]]
MakeHappen = Callable[[Case, Move], Awaitable[Move]]
CalmDown = Callable[[Case], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class RecordDoor:
    """What a world's system of record does at its stage door. All raise DoorFailed."""

    seed: SeedSituation
    witness: HearWitness
    happen: MakeHappen
    """A move that is no person's: goods come, an event is sent again. The move with what shows that it arrived."""
    calm: CalmDown
    """Takes the case's faults off."""


class Site(Protocol):
    """A world's doors on one stack."""

    async def stage(self, case: Case) -> Seeded:
        """Seed the situation. Raises StageFailed."""

    def follow(self, case: Case) -> AbstractAsyncContextManager[Feed]:
        """Hear what happens to the case, opened before it is seeded."""

    async def act(self, case: Case, move: Move) -> Move:
        """Do what a person does, through that person's door; the move with the door's answer.

        Raises DoorFailed when the door did not answer, PersonSlipped when it says that the script is wrong.
        """

    async def collect(self, record: Record) -> Evidence:
        """The timelines and every witness; one that cannot be heard is None."""

    async def open_cases(self) -> int:
        """How many cases the stack still works on."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A world's part of a case: what the stage is given, and everything that follows from it."""

    subject_id: str
    situation: dict[str, Any]
    refs: frozenset[str]
    raises: tuple[str, ...]
    follow: str
    words: dict[str, str]
    people: dict[str, Part]
    roles: Callable[[str], tuple[str, str | None]]
    """From the file's word for who decides (`order-buyer`) to (role, user)."""
    happens: tuple[Happens, ...] = ()
    """What this world's seed lets happen later."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a play has seen of its case so far."""

    case: Case
    seeded: Seeded
    rows: tuple[Mapping[str, Any], ...] = ()
    views: Mapping[str, View] = field(default_factory=dict)
    mail: tuple[MailSeen, ...] = ()
    moves: tuple[Move, ...] = ()


@dataclass(frozen=True, slots=True)
class Loaded:
    """A company that was put on a stack: how much there is of what."""

    counts: Mapping[str, int]
    wrong: Mapping[str, int]
    """How many of its records are wrong in which way."""


Tell = Callable[[int, int], None]
"""How much of it is done, of how much."""

CheckOf = Callable[[Case, Record, Evidence], Check]


@dataclass(frozen=True, slots=True)
class World:
    """A kind of work."""

    name: str
    seed_schema: type[BaseModel]
    outcomes: frozenset[str]
    people: frozenset[str]
    forbids: frozenset[str]
    """The words that `forbid` may hold: actions, kinds of mail, effects."""
    musts: frozenset[str]
    compile: Callable[[Scenario, BaseModel, Draws, str], Compiled]
    """(scenario, its seed with every value drawn, the case's randomness, the case's tag)."""
    due: Callable[[Seen], tuple[Move, ...]]
    """The moves that the script's people make now, given what was seen; pure."""
    awaits: Callable[[Seen], str | None]
    """Names a move of the script that can still fire though nothing seen triggers it yet (a letter under way); pure."""
    open: Callable[[Stack], AbstractAsyncContextManager[Site]]
    """Opens the world's doors on a stack. Raises StackUnavailable."""
    checks: tuple[CheckOf, ...]
    ungraded: tuple[str, ...]
    scenarios: Path
    baseline: str | None
    controls: tuple[str, ...]
    needs_amount: frozenset[str] = frozenset()
    """Outcomes that are right by their amount only."""
    asked: frozenset[str] = frozenset()
    """People whom an agent can ask in every case."""
    categories: frozenset[str] | None = None
    """What a scenario may be about; None where anything goes."""
    corners: Callable[[Stack, Sequence[Case]], Awaitable[list[list[str]]]] | None = None
    """Seeds the cases without anybody working them; for each what the system of record and the policy say otherwise
    than the case expects. None: this world cannot."""
    load: Callable[[Stack, int, int, Tell], Awaitable[Loaded]] | None = None
    """Puts a company to look around in on a stack: (stack, seed, size, whom to tell). None: this world has none."""
    calibration: Calibration | None = None
    """How its grader is to be attacked. None: this world does not say."""
