"""The proofs, one after the other, each printed as it goes."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from random import Random
from typing import Literal

from tests.soak.compose import books, letters, plan
from tests.soak.compose.campaigns import Pace, Played, played, under_kills
from tests.soak.compose.engine import AGENT, PARTS, Engine
from tests.soak.compose.waiting import Gate
from tests.soak.compose.watching import Watch

from deskworld import catalogue
from deskworld.doors import clock
from deskworld.errors import ExitCode
from deskworld.values.campaign import Settings
from deskworld.values.verdict import Check
from deskworld.worlds import WORLDS

Rules = Literal["on", "off"]
KILLS_A_CAMPAIGN = 4
OF_THE_AGENT = ("token", AGENT)
"""What only an agent in a container of its own needs."""
WAITING_SECONDS = 240.0
PATIENT = 900.0
"""Seconds that a case may take, or stay silent, while the company is restarted around it."""
SLICE_PARTS = ("postgres", "mail", "policy", "erp", "desk")
"""Identity takes too long to come back for a slice."""
SLICE_KILLS, SLICE_PARALLEL, SLICE_REPETITIONS, SLICE_LETTERS = 3, 24, 6, 80
WAITING_REPETITIONS = 3


class Soak:
    def __init__(self, engine: Engine, watch: Watch, random: Random, parallel: int, repetitions: int) -> None:
        self._engine = engine
        self._watch = watch
        self._random = random
        self._parallel = parallel
        self._repetitions = repetitions
        self._findings: list[str] = []
        self._bundles: list[Path] = []

    async def full(self, *, kills: int, letters: int) -> None:
        await self._side_by_side("on")
        await self._side_by_side("off")
        await self._killed(kills)
        await self._waiting("docker compose restart", self._engine.restart)
        await self._waiting("docker compose down, and up", self._engine.down_and_up)
        await self._letters(letters, 3)
        await self._books()

    async def short(self) -> None:
        self._parallel, self._repetitions = SLICE_PARALLEL, SLICE_REPETITIONS
        agent = "none" if await self._engine.runs(AGENT) else "oracle"
        await self._campaign(plan.drawn(SLICE_PARTS, SLICE_KILLS, self._random), "off", agent)
        await self._letters(SLICE_LETTERS, 1)
        await self._books()

    def result(self) -> int:
        for finding in self._findings:
            _say(f"LOST  {finding}")
        _say(f"{len(self._findings)} findings" if self._findings else "nothing was lost, nothing came twice")
        return ExitCode.GATE_MISSED if self._findings else ExitCode.PASS

    async def _side_by_side(self, rules: Rules) -> None:
        done = await played(self._engine, self._settings(rules, "oracle", f"side-by-side-{rules}"), Pace())
        self._take(f"{self._parallel} side by side, rules {rules}", done)
        if done.most != self._parallel:
            self._findings.append(f"{self._parallel} cases were to be in flight, and at most {done.most} were")

    async def _killed(self, kills: int) -> None:
        """Campaigns until every drawn part was killed in the middle of one."""
        turns: list[tuple[Rules, str]] = [("off", "oracle"), ("on", "oracle"), ("off", "none"), ("on", "none")]
        left = list(plan.drawn((*PARTS, AGENT), kills, self._random))
        while left:
            rules, agent = turns[0]
            turns = [*turns[1:], turns[0]]
            wanted = [part for part in left if agent == "none" or part not in OF_THE_AGENT][:KILLS_A_CAMPAIGN]
            for part in await self._campaign(wanted, rules, agent):
                left.remove(part)

    async def _campaign(self, parts: Sequence[str], rules: Rules, agent: str) -> tuple[str, ...]:
        """The parts that were killed."""
        container = agent == "none" and not await self._engine.runs(AGENT)
        if container:
            await self._engine.start_agent()
        try:
            settings = self._settings(rules, agent, f"kills-{rules}-{agent}")
            kills = plan.moments(parts, self._random)
            done = await under_kills(self._engine, settings, kills, self._watch)
        finally:
            if container:
                await self._engine.stop_agent()
        who = "the agent's container" if agent == "none" else agent
        self._take(f"{self._parallel} side by side under kills, rules {rules}, {who}", done)
        return tuple(killed.part for killed in done.killed)

    async def _waiting(self, what: str, restarting: Callable[[], Awaitable[None]]) -> None:
        """Cases that wait for a decider, a letter and an agent when the company is restarted around them."""
        self._watch.forget()
        gate = Gate()
        one = WAITING_REPETITIONS * _situations()
        await self._engine.start_agent()
        playing = [self._gated(gate, "on"), self._gated(gate, "off")]
        await self._until(playing, f"{2 * one} cases that wait for people", lambda: self._watch.resting() >= 2 * one)
        await self._engine.stop_agent()
        playing.append(self._gated(gate, "off"))
        await self._until(playing, f"{one} cases that wait for an agent", lambda: self._watch.moving()["untold"] >= one)
        _say(f"\n== {what}, with {self._watch.in_words()}")
        stopped = clock.monotonic()
        await restarting()
        _say(f"   up again after {clock.monotonic() - stopped:.0f} s, with {self._watch.in_words()}")
        gate.open()
        await self._engine.start_agent()
        for done in await asyncio.gather(*playing):
            self._take(f"after {what}, rules {done.campaign.rules}", done)
        await self._engine.stop_agent()

    def _gated(self, gate: Gate, rules: Rules) -> asyncio.Task[Played]:
        """A campaign of the agent's container in which no person moves before the gate is open."""
        settings = self._settings(rules, "none", f"restart-{rules}")
        patient = {"repetitions": WAITING_REPETITIONS, "shared": True, "timeout": PATIENT, "stall": PATIENT}
        worlds = {name: gate.before(world) for name, world in WORLDS.items()}
        playing = played(self._engine, settings.model_copy(update=patient), Pace(), worlds)
        return asyncio.create_task(playing, name=settings.label)

    async def _until(self, playing: Sequence[asyncio.Task[Played]], what: str, holds: Callable[[], bool]) -> None:
        """Also returns when a campaign ended before it came to hold: its verdicts then say why."""
        awaited = asyncio.create_task(self._watch.until(what, holds, WAITING_SECONDS))
        await asyncio.wait([awaited, *playing], return_when=asyncio.FIRST_COMPLETED)
        if awaited.done():
            await awaited
        else:
            awaited.cancel()
            self._findings.append(f"a campaign ended before there were {what}")

    async def _letters(self, number: int, kills: int) -> None:
        tag = f"{self._random.getrandbits(64):016x}"
        posted = await letters.through_kills(self._engine, number, kills, tag, self._random)
        _say(f"\n== {number} letters while the mail server is killed")
        for at, pid, away in zip(posted.at, posted.pids, posted.away, strict=True):
            _say(f"   killed mail ({pid}) with {at} accepted; back after {away:.1f} s")
        found = await letters.findings(self._engine, posted, self._watch)
        _say(f"   {posted.count} accepted, {len(posted.open)} without an answer; {len(found)} findings")
        self._findings += found

    async def _books(self) -> None:
        kept = await books.audited(self._engine, self._bundles)
        _say("\n== the books of ERP, desk and mail server")
        for what, number in kept.counted.items():
            _say(f"   {number} {what}")
        self._findings += kept.findings

    def _take(self, title: str, done: Played) -> None:
        one = done.campaign
        _say(f"\n== {title}: passed {one.passed}/{one.runs} in {one.wall_seconds:.0f} s, at most {done.most} in flight")
        for killed in done.killed:
            _say(
                f"   killed {killed.part} ({killed.pid}) with {killed.done}/{killed.planned} done, {killed.in_flight} "
                f"in flight ({killed.moved}); back after {killed.away:.1f} s"
            )
        self._bundles.append(done.bundle)
        self._findings += [
            f"{title}: {v.scenario} seed {v.seed} did not pass ({v.cause}): {v.broken or _failed(v.checks)}"
            for v in done.failed
        ]

    def _settings(self, rules: Rules, agent: str, label: str) -> Settings:
        return Settings(
            agent=agent,
            rules=rules,
            parallel=self._parallel,
            repetitions=self._repetitions,
            seed=self._random.randrange(1_000_000),
            label=f"soak-{label}",
            shared=True,  # what waits for an answer is from the campaign before
        )


def _situations() -> int:
    return len(catalogue.select(catalogue.load_all(WORLDS["ap"].scenarios)))


def _failed(checks: Sequence[Check]) -> str:
    return ", ".join(check.name for check in checks if not check.passed)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
