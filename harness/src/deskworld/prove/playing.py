"""Playing many cases with one agent, side by side; those that change what others meet, alone and last."""

import asyncio
from collections.abc import Callable, Sequence

from deskworld import agents, play
from deskworld.scoring import score
from deskworld.values.case import Case
from deskworld.values.stack import Stack
from deskworld.values.verdict import Verdict
from deskworld.world import Site, World

LIMITS = play.Limits(timeout=300.0, stall=120.0)


async def played(
    cases: Sequence[Case],
    agent: str,
    *,
    world: World,
    site: Site,
    stack: Stack,
    parallel: int,
    tell: Callable[[Verdict], None],
) -> tuple[Verdict, ...]:
    """A verdict for each case, in their order. Raises StackUnavailable when the agent cannot sign in."""
    places = asyncio.Semaphore(parallel)
    verdicts: dict[int, Verdict] = {}
    async with agents.working(agent, stack, side_by_side=parallel) as cast:

        async def one(nth: int) -> None:
            async with places:
                verdicts[nth] = await _judged(cases[nth], world, site, cast)
                tell(verdicts[nth])

        together = [nth for nth, case in enumerate(cases) if not case.alone]
        async with asyncio.TaskGroup() as group:
            for nth in together:
                group.create_task(one(nth))
        for nth in sorted(set(range(len(cases))) - set(together)):
            await one(nth)
    return tuple(verdicts[nth] for nth in range(len(cases)))


async def _judged(case: Case, world: World, site: Site, cast: agents.Cast) -> Verdict:
    record = await play.play(case, site, world, LIMITS, on_seeded=cast.hand_out)
    return score(case, record, await play.witnessed(record, site), world.checks)
