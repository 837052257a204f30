"""What the desk tells of itself, where its settings say so. Off, none of the libraries behind it is imported."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from fastapi import FastAPI
from sqlalchemy import func, select

from deskworld_desk.cases.states import State
from deskworld_desk.cases.tables import Case
from deskworld_desk.desk import Desk
from deskworld_desk.settings import DeskSettings
from deskworld_desk.turns.inputs import untold_cases
from deskworld_desk.turns.tables import Turn
from deskworld_desk.turns.watch import Watch
from deskworld_kit.telemetry.settings import OFF

if TYPE_CHECKING:
    from deskworld_kit.telemetry.metrics import Metrics

Gauge = tuple[str, str, Mapping[str, str], float]


@dataclass(frozen=True, slots=True)
class Telemetry:
    watch: Watch | None = None
    metrics: "Metrics | None" = None


@contextmanager
def telemetry(settings: DeskSettings) -> Iterator[Telemetry]:
    """What was told when the block ends is sent."""
    metrics = None
    if settings.metrics:
        from deskworld_kit.telemetry.metrics import Metrics  # noqa: PLC0415 - off, it is not imported

        metrics = Metrics()
    if settings.traces == OFF:
        yield Telemetry(Watch(None, metrics) if metrics is not None else None, metrics)
        return
    from deskworld_kit.telemetry.spans import spans  # noqa: PLC0415 - as above

    with spans("deskworld-desk", settings.traces, version=settings.build) as told:
        yield Telemetry(Watch(told, metrics), metrics)


def watch_doors(doors: Mapping[str, FastAPI], desk: Desk, settings: DeskSettings, told: Telemetry) -> None:
    """Where metrics are on: every door is measured, and the stage's answers."""
    if told.metrics is not None:
        from deskworld_kit.telemetry.metrics import at_the_stage  # noqa: PLC0415 - off, it is not imported

        at_the_stage(told.metrics, doors, settings.stage_secret, partial(gauges, desk))


async def gauges(desk: Desk) -> Sequence[Gauge]:
    """How the desk stands, read from its rows when somebody asks."""
    async with desk.db.transaction() as session:
        counted = await session.execute(select(Case.state, func.count()).group_by(Case.state))
        cases = dict(counted.all())
        running = await session.scalar(select(func.count()).select_from(Turn).where(Turn.ended_at.is_(None)))
        untold = await untold_cases(session)
    return [
        *(
            ("deskworld_cases", "Cases by state", {"state": state.value}, float(cases.get(state.value, 0)))
            for state in State
        ),
        ("deskworld_turns_running", "Turns that a client has", {}, float(running or 0)),
        ("deskworld_cases_untold", "Cases that an agent is to be told something of", {}, float(len(untold))),
        ("deskworld_agents_waiting", "Clients that wait for a turn", {}, float(desk.turnstile.clients)),
        ("deskworld_agents_paused", "Whether all agents are paused", {}, float(desk.turnstile.held)),
    ]
