"""One case with a person at the terminal in somebody's place. What was asked is shown; an empty line does as scripted.

Everything from outside is shown through `plain`: nothing that a letter says acts on the terminal.
"""

import asyncio
import json
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Literal

from deskworld import playtest
from deskworld.commands import worlds
from deskworld.commands.seats import Seat
from deskworld.commands.terminal import Terminal
from deskworld.desk_site import Letters, letters_of
from deskworld.errors import ExitCode
from deskworld.play import Limits
from deskworld.stack import choose
from deskworld.values.campaign import Settings
from deskworld.values.case import Case, Seeded
from deskworld.values.evidence import Evidence
from deskworld.values.record import Move, Record
from deskworld.world import Feed, Site
from deskworld_agent.door import OpenTurn
from deskworld_agent.work import Act

Role = Literal["buyer", "vendor", "decider", "agent"]
PATIENCE = Limits(timeout=3600.0, stall=3600.0, move=3600.0)
"""Somebody reads and thinks."""
SILENCE = "."
TO_A_PERSON = "the case is under way: you are asked when something comes to you, and it is graded when it rests"
TO_AN_AGENT = "the case is under way: your first turn comes at once"


async def play(world: str, settings: Settings, role: Role, stack: Path | None, terminal: Terminal) -> int:
    """Raises HarnessError."""
    known = worlds.named(world)
    async with choose.chosen(stack) as chosen:
        terminal.say(f"stack: {chosen.why}")
        if role == "agent":
            terminal.say(TO_AN_AGENT)
            agent = at_the_terminal(terminal)
            verdict = await playtest.case(known, settings, agent, chosen.stack, limits=PATIENCE)
        else:
            terminal.say(TO_A_PERSON)
            seat = Seat(known, role)
            async with letters_of(chosen.stack) as letters:
                verdict = await playtest.case(
                    seat.world,
                    settings,
                    settings.agent,
                    chosen.stack,
                    limits=PATIENCE,
                    doors=lambda site: ByHand(site, seat, terminal, letters),
                )
    played = playtest.Played(verdict, settings)
    terminal.say(repr(played))
    return ExitCode.PASS if played.passed else ExitCode.GATE_MISSED


class ByHand:
    """A site whose moves of one place a person at the terminal makes; all else is as scripted."""

    def __init__(self, site: Site, seat: Seat, terminal: Terminal, letters: Letters) -> None:
        self._site, self._seat, self._terminal, self._letters = site, seat, terminal, letters
        self._asking = asyncio.Lock()

    async def stage(self, case: Case) -> Seeded:
        return await self._site.stage(case)

    def follow(self, case: Case) -> AbstractAsyncContextManager[Feed]:
        return self._site.follow(case)

    async def collect(self, record: Record) -> Evidence:
        return await self._site.collect(record)

    async def open_cases(self) -> int:
        return await self._site.open_cases()

    async def act(self, case: Case, move: Move) -> Move:
        if self._seat.is_mine(move):
            async with self._asking:
                made = await self._made(case, move)
            if made is None:
                # nothing is done, and so nothing of it will stand on the timeline
                return move.model_copy(update={"row": "", "done": "silence", "refused": True})
            move = made
        return await self._site.act(case, move)

    async def _made(self, case: Case, move: Move) -> Move | None:
        """None: this person says nothing."""
        self._terminal.say(f"\n{move.who}: {move.rule}\n{await self._asked(case, move)}")
        scripted = (move.verdict if move.kind == "decision" else move.said) if self._seat.is_scripted(move) else None
        as_scripted = f"empty: {scripted or 'silence'}; {SILENCE} for silence"
        if move.kind != "decision":
            said = await self._terminal.ask(f"your words ({as_scripted})")
            if said == SILENCE or not (said or scripted):
                return None
            return move.model_copy(update={"said": said}) if said else move
        while True:
            said = await self._terminal.ask(f"approve, or decline and why ({as_scripted})")
            verdict, _, words = (said or "").partition(" ")
            if verdict in {"approve", "decline"}:
                return move.model_copy(update={"verdict": verdict, "said": words.strip() or None, "reason": None})
            if not verdict:
                return move if scripted else None
            if verdict == SILENCE:
                return None
            self._terminal.say(f"{verdict} is no decision")

    async def _asked(self, case: Case, move: Move) -> str:
        """What calls for this move, in full: a question, a letter, a proposal that somebody is to decide."""
        found = await self._seat.asked(move)
        if found is None:
            return "nobody asked for it"
        kind, data = found
        shown = json.dumps(data, indent=1, ensure_ascii=False)
        if kind == "mail.sent":
            return f"{data['subject']}\n\n{await self._letters(case, data['digest'])}"
        if kind == "decision.requested":
            proposal = self._seat.row("proposal.made", "proposal_id", data["proposal_id"])
            return f"{shown}\n{json.dumps(proposal, indent=1, ensure_ascii=False)}"
        return str(data["text"]) if kind == "question.asked" else shown


def at_the_terminal(terminal: Terminal) -> Act:
    """An agent whose every call is typed: a tool and its arguments as JSON; an empty line ends the turn."""

    async def act(turn: OpenTurn) -> None:
        terminal.say(f"\nturn {turn.turn.number} of case {turn.case_id}")
        terminal.say(json.dumps(turn.brief.model_dump(mode="json"), indent=1, ensure_ascii=False))
        for told in turn.inputs:
            terminal.say(f"told: {json.dumps(told.model_dump(mode='json'), ensure_ascii=False)}")
        terminal.say(f"tools: {', '.join(tool.name for tool in turn.turn.tools)}")
        while line := await terminal.ask('tool {"its": "arguments"} (empty: the turn ends; ?: what the tools do)'):
            tool, _, given = line.partition(" ")
            if tool == "?":
                for one in turn.turn.tools:
                    terminal.say(f"{one.name}: {one.description} {json.dumps(parameters(one.parameters))}")
                continue
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


def parameters(schema: dict[str, Any]) -> dict[str, str]:
    """Each with what it is, in a word or two; `?` behind those that may be left out."""
    needed = schema.get("required", ())
    return {
        name if name in needed else f"{name}?": str(one.get("enum") or one.get("description") or one.get("type", "any"))
        for name, one in schema.get("properties", {}).items()
    }
