"""One case with a person at the terminal in somebody's place. What was asked is shown; an empty line does as scripted.

Everything from outside is shown through `plain`: nothing that a letter says acts on the terminal.
"""

import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from rich.console import Console

from deskworld import playtest
from deskworld.commands import worlds
from deskworld.errors import ExitCode
from deskworld.play import Limits
from deskworld.report.plain import plain
from deskworld.stack import choose
from deskworld.values.campaign import Settings
from deskworld.values.case import Case, Seeded
from deskworld.values.evidence import Evidence
from deskworld.values.record import Move, Record
from deskworld.world import Feed, Seen, Site
from deskworld_agent.door import OpenTurn
from deskworld_agent.work import Act

Role = Literal["buyer", "vendor", "decider", "agent"]
KINDS = {"buyer": "answer", "vendor": "mail", "decider": "decision"}
PATIENCE = Limits(timeout=3600.0, stall=3600.0, move=3600.0)
"""Somebody reads and thinks."""


@dataclass(slots=True)
class Terminal:
    out: Console
    read: Callable[[], str] = sys.stdin.readline

    def say(self, text: str) -> None:
        for line in text.split("\n"):
            self.out.print(plain(line), markup=False, highlight=False, soft_wrap=True)

    async def ask(self, question: str) -> str | None:
        """None where the input has ended."""
        self.say(question)
        line = await asyncio.to_thread(self.read)
        return line.strip() if line else None


async def play(world: str, settings: Settings, role: Role, stack: Path | None, terminal: Terminal) -> int:
    """Raises HarnessError."""
    known = worlds.named(world)
    latest: list[Seen] = []

    def due(seen: Seen) -> tuple[Move, ...]:
        latest[:] = [seen]
        return known.due(seen)

    asking = asyncio.Lock()
    async with choose.chosen(stack) as chosen:
        terminal.say(f"stack: {chosen.why}")
        agent: str | Act = at_the_terminal(terminal) if role == "agent" else settings.agent
        verdict = await playtest.case(
            replace(known, due=due),
            settings,
            agent,
            chosen.stack,
            limits=PATIENCE,
            doors=lambda site: site if role == "agent" else ByHand(site, role, terminal, latest, asking),
        )
    played = playtest.Played(verdict, settings)
    terminal.say(repr(played))
    return ExitCode.PASS if played.passed else ExitCode.GATE_MISSED


class ByHand:
    """A site whose moves of one kind a person at the terminal makes; all else is as scripted."""

    def __init__(self, site: Site, role: Role, terminal: Terminal, latest: list[Seen], asking: asyncio.Lock) -> None:
        self._site, self._kind, self._terminal = site, KINDS[role], terminal
        self._latest, self._asking = latest, asking

    async def stage(self, case: Case) -> Seeded:
        return await self._site.stage(case)

    def follow(self, case: Case) -> AbstractAsyncContextManager[Feed]:
        return self._site.follow(case)

    async def collect(self, record: Record) -> Evidence:
        return await self._site.collect(record)

    async def open_cases(self) -> int:
        return await self._site.open_cases()

    async def act(self, case: Case, move: Move) -> Move:
        if move.kind == self._kind:
            async with self._asking:
                move = await self._made(move)
        return await self._site.act(case, move)

    async def _made(self, move: Move) -> Move:
        self._terminal.say(f"\n{move.who}: {asked(move, self._latest[-1].rows if self._latest else ())}")
        if move.kind != "decision":
            said = await self._terminal.ask(f"your answer (empty: {move.said})")
            return move.model_copy(update={"said": said}) if said else move
        said = await self._terminal.ask(f"approve, or decline and why (empty: {move.verdict})")
        verdict, _, words = (said or "").partition(" ")
        if verdict not in {"approve", "decline"}:
            return move
        return move.model_copy(update={"verdict": verdict, "said": words or None, "reason": None})


def asked(move: Move, rows: tuple[Mapping[str, Any], ...]) -> str:
    """What the timeline says that this move answers."""
    wanted = move.answers.message_id if move.answers else move.row
    for row in reversed(rows):
        if wanted and wanted in (row["data"].get(name) for name in ("question_id", "decision_id", "message_id")):
            return json.dumps(row["data"], indent=1, ensure_ascii=False)
    return move.rule


def at_the_terminal(terminal: Terminal) -> Act:
    """An agent whose every call is typed: a tool and its arguments as JSON; an empty line ends the turn."""

    async def act(turn: OpenTurn) -> None:
        terminal.say(f"\nturn {turn.turn.number} of case {turn.case_id}")
        terminal.say(json.dumps(turn.brief.model_dump(mode="json"), indent=1, ensure_ascii=False))
        for told in turn.inputs:
            terminal.say(f"told: {json.dumps(told.model_dump(mode='json'), ensure_ascii=False)}")
        terminal.say(f"tools: {', '.join(tool.name for tool in turn.turn.tools)}")
        while line := await terminal.ask('tool {"its": "arguments"} (empty: the turn ends)'):
            tool, _, given = line.partition(" ")
            try:
                args = json.loads(given or "{}")
            except ValueError as error:
                terminal.say(f"that is no JSON: {error}")
                continue
            if not isinstance(args, dict):
                terminal.say("the arguments are an object: {...}")
                continue
            answer = await turn.call(tool, **args)
            terminal.say(answer.model_dump_json(indent=1, exclude_none=True))

    return act
