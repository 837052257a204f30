"""A world of one file: a lamp that somebody must say is off. It has no ERP, no desk and no mail.

It shows that the harness's generic half needs nothing of accounts payable: `run` and `report` take it untouched.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from deskworld.values.case import Case, Part, Seeded, SeededRecord
from deskworld.values.draws import Draws
from deskworld.values.evidence import CaseTimeline, Evidence
from deskworld.values.record import Move, Record, View
from deskworld.values.scenario import Scenario
from deskworld.values.stack import Stack
from deskworld.values.verdict import Check, Finding
from deskworld.world import Compiled, Feed, Happening, Seen, Site, World

FILE = """
name: lamp-is-off
title: Somebody is asked whether the lamp is off
world: toy
category: lamps
split: development
why: A lamp that nobody looked at is not known to be off.
seed: {watts: {draw: [1, 90], step: 1}}
facts: [lamp]
accept: [{action: switch-off, by: keeper}]
settled-by: rules
people:
  keeper: {answers: [["It is off.", "Off.", "I switched it off."], then: silent]}
oracle: [{propose: switch-off}]
"""


class LampSeed(BaseModel):
    watts: int = Field(gt=0)


def lit(scenario: Scenario, seed: BaseModel, rng: Draws, tag: str) -> Compiled:
    return Compiled(
        subject_id=tag,
        situation=seed.model_dump(),
        refs=frozenset({"lamp"}),
        raises=("DARK",),
        follow="DARK",
        words={"watts": str(seed.model_dump()["watts"])},
        people={"keeper": Part(identity="keeper")},
        roles=lambda word: (word, None),
    )


class Room:
    """The toy's only door."""

    def __init__(self) -> None:
        self.feeds: dict[str, Feed] = {}
        self.rows: dict[str, list[dict[str, Any]]] = {}

    async def stage(self, case: Case) -> Seeded:
        self._say(case, "question.asked", "AWAITING_ANSWER", question_id=case.tag, to="keeper", text="Is it off?")
        lamp = SeededRecord(kind="lamp", id=case.tag, forms=(case.tag,))
        return Seeded(records={"lamp": lamp}, exceptions=(), case_id=case.tag)

    @asynccontextmanager
    async def follow(self, case: Case) -> AsyncIterator[Feed]:
        self.feeds[case.tag] = asyncio.Queue()
        self.rows[case.tag] = []
        yield self.feeds[case.tag]

    async def act(self, case: Case, move: Move) -> Move:
        self._say(
            case, "question.answered", "RESOLVED", question_id=move.row, by={"username": "keeper"}, text=move.said
        )
        return move.model_copy(update={"done": "answered"})

    async def collect(self, record: Record) -> Evidence:
        rows = tuple(self.rows[record.case.tag])
        timeline = CaseTimeline(case_id=record.case.tag, view={"state": "RESOLVED"}, rows=rows)
        return Evidence(timelines=(timeline,), blobs={}, set_aside=(), erp={}, mail=(), policy=(), identity={})

    async def open_cases(self) -> int:
        return 0

    def _say(self, case: Case, kind: str, state: str, **data: Any) -> None:
        rows = self.rows[case.tag]
        row = {"case_id": case.tag, "seq": len(rows) + 1, "kind": kind, "cause": None, "data": data}
        rows.append({**row, "actor": {"type": "desk", "id": "toy"}, "at": "2026-01-01T00:00:00Z"})
        feed = self.feeds[case.tag]
        feed.put_nowait(Happening(row=row))
        feed.put_nowait(Happening(view=View(case_id=case.tag, reason="DARK", state=state, seq=len(rows))))


def answers(seen: Seen) -> tuple[Move, ...]:
    asked = any(row["kind"] == "question.asked" for row in seen.rows)
    said = seen.case.script["keeper"].says.answer(1)
    if not asked or seen.moves:
        return ()
    return (Move(key="a", kind="answer", who="keeper", rule="answers", row=seen.case.tag, at=0.0, said=said),)


def somebody_looked(family: Any) -> Any:
    def check(case: Case, record: Record, evidence: Evidence) -> Check:
        rows = [row for timeline in evidence.timelines for row in timeline.rows]
        looked = any(row["kind"] == "question.answered" for row in rows)
        missing = Finding(expected="somebody looked", seen="nobody did")
        return Check(family=family, name="somebody looked", findings=() if looked else (missing,))

    return check


def opened(stack: Stack) -> AbstractAsyncContextManager[Site]:
    @asynccontextmanager
    async def room() -> AsyncIterator[Site]:
        yield Room()

    return room()


def toy_world(folder: Path) -> World:
    """`folder` gets the world's one scenario file."""
    (folder / "lamp-is-off.yaml").write_text(FILE, encoding="utf-8")
    return World(
        name="toy",
        seed_schema=LampSeed,
        outcomes=frozenset({"switch-off"}),
        people=frozenset({"keeper"}),
        forbids=frozenset({"switch-on"}),
        musts=frozenset(),
        compile=lit,
        due=answers,
        awaits=lambda seen: None,
        open=opened,
        checks=tuple(somebody_looked(family) for family in ("correct", "evidence", "safe", "routed")),
        ungraded=("the lamp's colour",),
        scenarios=folder,
        baseline=None,
        controls=(),
    )
