"""Read this first: one campaign, from settings to a summary.

The one wiring place: it prepares the plan, opens the world's doors, starts the agent, has the cases played side by side
and scored, and writes down what they came to. It knows no door and no world by name.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deskworld import acceptance, agents, bundle, candidate, fingerprints, freezing, planning, report
from deskworld.doors import clock
from deskworld.doors.in_force import in_force
from deskworld.errors import StackUnavailable, UsageWrong
from deskworld.leg import Board, Leg, Progress
from deskworld.manifest import manifest, refuse_other
from deskworld.planning import Planned, Prepared, prepared
from deskworld.statistics import wilson
from deskworld.values.campaign import BaselineSummary, Campaign, HeldOut, Resumed, Settings
from deskworld.values.gates import Assessment
from deskworld.values.stack import Stack
from deskworld.values.verdict import Verdict
from deskworld.world import Site, World

__all__ = ["Done", "Progress", "campaign", "interleaved", "scripted"]

Done = tuple[Campaign, tuple[Verdict, ...]]
RULES_ALONE = "rules alone"


@dataclass(frozen=True, slots=True)
class Ground:
    """Where a campaign is played. `nonce` makes its identities its own; it changes no verdict."""

    worlds: Mapping[str, World]
    stack: Stack
    runs: Path
    nonce: str
    tell: Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Opened:
    """A campaign whose bundle is open."""

    settings: Settings
    ready: Prepared
    book: bundle.Bundle
    before: bundle.CutOff | None
    hidden: HeldOut | None
    nonce: str
    started: float


async def campaign(
    settings: Settings,
    *,
    worlds: Mapping[str, World],
    stack: Stack,
    runs: Path,
    nonce: str,
    tell: Callable[[Progress], None],
    resume: Path | None = None,
) -> Done:
    """Plays every planned case and closes the bundle, also when it is interrupted. Raises HarnessError.

    `resume`: a bundle that was cut off; its whole cases are taken over, and only what is missing is played.
    """
    ground = Ground(worlds, stack, runs, nonce, tell)
    ready = prepared(settings, worlds)
    baselines = await _baselines(settings, ready, ground) if settings.baselines else {}
    one = await _open(settings, ready, ground, nonce=nonce, resume=resume)
    return await _play(one, ground, baselines)


async def interleaved(
    pair: tuple[Settings, Settings],
    *,
    worlds: Mapping[str, World],
    stack: Stack,
    runs: Path,
    nonce: str,
    tell: Callable[[Progress], None],
) -> tuple[Done, Done]:
    """Two agents on the same cases of one stack, in alternating order, so that neither has the warmer stack or the
    quieter hour. Only one of them works at a time: any agent takes any turn. Raises HarnessError."""
    ground = Ground(worlds, stack, runs, nonce, tell)
    if any(agents.is_attached(settings.agent) for settings in pair):
        raise UsageWrong("an attached agent takes the other's turns", next_step="play each by itself, then compare")
    ready = [prepared(settings, worlds) for settings in pair]
    opened = [
        await _open(settings, one, ground, nonce=f"{nonce}-{place}")
        for place, (settings, one) in enumerate(zip(pair, ready, strict=True))
    ]
    async with _Closing(*(one.book for one in opened)), ready[0].world.open(stack) as site:
        await _refuse_open_cases(site, pair[0], stack, None)
        board = Board(sum(one.plan.runs for one in ready), tell)
        legs = [_leg(one, site, board) for one in opened]
        for place, block in enumerate(_blocks(ready[0], pair[0].parallel)):
            for leg in legs if place % 2 == 0 else reversed(legs):
                async with _working(leg.settings, stack, side_by_side=len(block)) as cast:
                    await leg.play(block, cast, side_by_side=len(block))
        first, second = (_finish(one, leg, stack) for one, leg in zip(opened, legs, strict=True))
        return first, second


def scripted(agent: str) -> bool:
    """Whether an agent's answer follows from the case: one failure of it is one too many."""
    return agent in set(agents.NAMES) - {"none"}


def candidate_of(settings: Settings) -> dict[str, Any]:
    """Who is under test, with what makes it another one. Raises UsageWrong."""
    model = agents.is_model(settings.agent)
    sha256 = candidate.digest(settings.agent, control=scripted(settings.agent), model=model)
    found: dict[str, Any] = {"name": settings.agent, "sha256": sha256}
    if model:
        found["playbook"] = agents.playbook_digest(Path(settings.playbook) if settings.playbook else None)
    return found


def _working(settings: Settings, stack: Stack, *, side_by_side: int) -> AbstractAsyncContextManager[agents.Cast]:
    return agents.working(
        settings.agent,
        stack,
        side_by_side=side_by_side,
        playbook=Path(settings.playbook) if settings.playbook else None,
        model_concurrency=settings.model_concurrency,
    )


async def _play(one: Opened, ground: Ground, baselines: Mapping[str, BaselineSummary] | None = None) -> Done:
    settings, plan = one.settings, one.ready.plan
    async with _Closing(one.book), one.ready.world.open(ground.stack) as site:
        await _refuse_open_cases(site, settings, ground.stack, one.before)
        leg = _leg(one, site, Board(plan.runs, ground.tell))
        async with _working(settings, ground.stack, side_by_side=settings.parallel) as cast:
            await leg.play(plan.together, cast, side_by_side=settings.parallel)
            alone = await leg.play(plan.alone, cast, side_by_side=1)
            await _adapt(leg, one.ready, cast)
        return _finish(one, leg, ground.stack, baselines=baselines, alone=alone)


async def _open(
    settings: Settings,
    ready: Prepared,
    ground: Ground,
    *,
    nonce: str,
    resume: Path | None = None,
    candidate: bool = True,
) -> Opened:
    """`candidate`: who must be frozen before held-out scenarios; a baseline need not."""
    told = manifest(
        settings,
        ground.stack,
        ready,
        agent=candidate_of(settings),
        in_force=await in_force(ground.stack, ready.world.name),
    )
    _known_store(ready)  # a store that cannot be read is said before anything is played
    before = bundle.cut_off(resume) if resume else None
    if before is not None:
        refuse_other(before.manifest, told, before.folder)
        told["resumes"] = {"bundle": str(before.folder), "kept": len(before.whole), "torn": before.torn}
    hidden = _held_out(settings, ready, told, candidate=candidate)
    book = bundle.open_bundle(ground.runs, told, at=clock.now())
    return Opened(settings, ready, book, before, hidden, nonce, clock.monotonic())


def _held_out(settings: Settings, ready: Prepared, told: Mapping[str, Any], *, candidate: bool) -> HeldOut | None:
    names = [one.name for one in ready.chosen if one.split == "held-out"]
    if settings.held_out is None or not names:
        return None
    return freezing.shown(Path(settings.held_out), told, names, at=clock.now(), frozen=candidate)


def _leg(one: Opened, site: Site, board: Board) -> Leg:
    return Leg(one.settings, one.ready.world, site, one.nonce, one.book, board, before=one.before)


class _Closing:
    """Closes bundles that something ended before they were complete."""

    def __init__(self, *books: bundle.Bundle) -> None:
        self._books = books

    async def __aenter__(self) -> None:
        return None

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            for book in self._books:
                book.close("interrupted" if issubclass(kind, asyncio.CancelledError) else "failed")


async def _adapt(leg: Leg, ready: Prepared, cast: agents.Cast) -> None:
    """Spends the adaptive runs in rounds, where the answers varied until then."""
    while more := planning.further(
        leg.verdicts(),
        ready.known,
        leg.settings,
        spent=len(leg.done) - ready.plan.runs,
        start=len(leg.done),
    ):
        leg.board.planned += len(more)
        await leg.play(more, cast, side_by_side=leg.settings.parallel)


def _blocks(ready: Prepared, size: int) -> list[tuple[Planned, ...]]:
    """As many cases as are played side by side; what befalls the whole stack, by itself."""
    together = ready.plan.together
    return [
        *(together[place : place + size] for place in range(0, len(together), size)),
        *((one,) for one in ready.plan.alone),
    ]


def _finish(
    one: Opened,
    leg: Leg,
    stack: Stack,
    *,
    baselines: Mapping[str, BaselineSummary] | None = None,
    alone: float = 0.0,
) -> Done:
    verdicts = leg.verdicts()
    assessment = _assessed(one, verdicts, baselines or {})
    done = report.summarise(
        one.settings,
        verdicts,
        stack=stack.id,
        bundle=str(one.book.folder),
        wall=clock.monotonic() - one.started,
        world=one.ready.world,
        catalogue=one.ready.known,
        assessment=assessment,
        **_more(one, alone, baselines),
    )
    one.book.write("report.json", report.as_json(done).encode())
    one.book.write("report.md", report.markdown(done, verdicts).encode())
    one.book.close("complete")
    return done, verdicts


def _novel(one: Opened) -> int | None:
    """Trajectories that the gates' store does not hold; None where they name none. Raises BundleFailed."""
    store = _known_store(one.ready)
    if store is None:
        return None
    files = sorted((one.book.folder / "cases").iterdir())
    return fingerprints.novel(fingerprints.turns_of(bundle.parsed(0, file.read_bytes()) for file in files), store)


def _known_store(ready: Prepared) -> fingerprints.Known | None:
    if ready.gates.known_store is None or ready.gates_file is None:
        return None
    return fingerprints.read(ready.gates_file.parent / ready.gates.known_store)


def _assessed(one: Opened, verdicts: tuple[Verdict, ...], baselines: Mapping[str, BaselineSummary]) -> Assessment:
    assessment = acceptance.assess(
        one.settings,
        verdicts,
        catalogue=one.ready.known,
        asked=one.ready.gates,
        scripted=scripted(one.settings.agent),
        added=range(one.ready.plan.runs, len(verdicts)),
        beside=acceptance.Beside(
            contradicted={name: tuple(found.contradicts) for name, found in baselines.items()},
            novel=_novel(one),
        ),
    )
    if not agents.is_model(one.settings.agent):
        return assessment
    unknown = (*assessment.not_covered, *acceptance.unreported(verdicts))
    return assessment.model_copy(update={"not_covered": unknown})


def _more(one: Opened, alone: float, baselines: Mapping[str, BaselineSummary] | None) -> dict[str, Any]:
    before = one.before
    return {
        "solo_seconds": round(alone, 3),
        "held_out": one.hidden,
        "baselines": dict(baselines or {}),
        "resumed": None if before is None else Resumed(bundle=str(before.folder), kept=len(before.whole)),
    }


async def _baselines(settings: Settings, ready: Prepared, ground: Ground) -> dict[str, BaselineSummary]:
    """The rules alone and the world's baseline agent on the same cases, each in a bundle of its own."""
    if agents.is_attached(settings.agent):
        raise UsageWrong(
            "an attached agent takes the baselines' turns",
            next_step="play them by themselves: `harness run --agent playbook`, `harness run --agent mute --rules on`",
        )
    plain = {"baselines": False, "adaptive": 0, "playbook": None}
    played: dict[str, Settings] = {}
    if "mute" in ready.world.controls:
        label = f"{settings.label}-rules-alone"
        played[RULES_ALONE] = settings.model_copy(update={**plain, "agent": "mute", "rules": "on", "label": label})
    if ready.world.baseline and ready.world.baseline != settings.agent:
        agent = ready.world.baseline
        played[agent] = settings.model_copy(update={**plain, "agent": agent, "label": f"{settings.label}-{agent}"})
    found: dict[str, BaselineSummary] = {}
    for name, one in played.items():
        nonce = f"{ground.nonce}-{name}"
        ready_too = prepared(one, ground.worlds)
        done, verdicts = await _play(await _open(one, ready_too, ground, nonce=nonce, candidate=False), ground)
        found[name] = BaselineSummary(
            bundle=done.bundle,
            agent=one.agent,
            rules=one.rules,
            runs=done.runs,
            passed=done.passed,
            interval=tuple(wilson(done.passed, done.runs)),
            contradicts=acceptance.contradictions(verdicts, rules_alone=name == RULES_ALONE),
        )
    return found


async def _refuse_open_cases(site: Site, settings: Settings, stack: Stack, before: bundle.CutOff | None) -> None:
    """What a campaign left open when it was cut off on this very stack is nobody else's."""
    ours = before is not None and (before.manifest.get("stack") or {}).get("id") == stack.id
    count = await site.open_cases()
    if count and not settings.shared and not ours:
        raise StackUnavailable(
            f"the stack still works on {count} case{'s' if count > 1 else ''} of somebody else",
            next_step="wait for them, take another stack, or say --shared (it is recorded)",
        )
