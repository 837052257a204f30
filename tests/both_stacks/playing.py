"""The whole catalogue on both stacks: every agent, the rules on and off, the same seeds."""

import asyncio
import itertools
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.both_stacks.comparing import Compared, compared, pairs
from tests.both_stacks.stacks import Both

from deskworld import bundle, run
from deskworld.values.campaign import Campaign, Seconds, Settings
from deskworld.values.scenario import Scenario
from deskworld.values.stack import Stack
from deskworld.worlds import WORLDS

Rules = Literal["on", "off"]
AGENTS = ("oracle", "playbook")
RULES: tuple[Rules, ...] = ("on", "off")
SIDE_BY_SIDE = 8
WARM = 4


@dataclass(frozen=True, slots=True)
class Plan:
    """`groups`: names of scenarios that are played side by side."""

    groups: tuple[tuple[str, ...], ...]
    repetitions: int
    seed: int
    runs: Path


@dataclass(frozen=True, slots=True)
class Played:
    """One agent and one state of the rules over a group."""

    agent: str
    rules: str
    embedded: Campaign
    compose: Campaign
    pairs: tuple[Compared, ...]


def groups(found: Mapping[str, Scenario]) -> tuple[tuple[str, ...], ...]:
    """All of the catalogue, twins too; what befalls a whole stack has it to itself, before a case is left waiting."""
    together = tuple(name for name, one in found.items() if one.role != "global")
    return tuple((name,) for name, one in found.items() if one.role == "global") + ((together,) if together else ())


async def catalogue(stacks: Both, plan: Plan, tell: Callable[[str], None]) -> AsyncIterator[Played]:
    """Each group on both stacks at once. Raises HarnessError."""
    for group, agent, rules in itertools.product(plan.groups, AGENTS, RULES):
        tell(f"{agent}, rules {rules}: {', '.join(group)}")
        settings = Settings(
            scenarios=group,
            agent=agent,
            rules=rules,
            repetitions=plan.repetitions,
            seed=plan.seed,
            parallel=SIDE_BY_SIDE,
            label=f"both-{agent}-{rules}",
            shared=len(group) > 1,  # what waits for an answer is from a campaign before
        )
        here, there = await asyncio.gather(
            *(_campaign(settings, stack, plan.runs) for stack in (stacks.embedded, stacks.compose))
        )
        cases, others = (bundle.read_bundle(Path(one.bundle)).cases() for one in (here, there))
        found = tuple(map(compared, pairs(cases, others, agent=agent, rules=rules)))
        yield Played(agent, rules, here, there, found)


async def alone(stacks: Both, scenario: str, times: int, plan: Plan) -> tuple[Seconds, Seconds]:
    """Of one case at a time, on one stack after the other, each warmed before. Raises HarnessError."""
    found = []
    for stack in (stacks.embedded, stacks.compose):
        for repetitions in (WARM, times):
            settings = Settings(
                scenarios=(scenario,),
                repetitions=repetitions,
                seed=plan.seed,
                parallel=1,
                label=f"alone-{scenario}",
                shared=True,
            )
            done = await _campaign(settings, stack, plan.runs)
        found.append(done.scenarios[scenario].seconds)
    return found[0], found[1]


async def _campaign(settings: Settings, stack: Stack, runs: Path) -> Campaign:
    done, _ = await run.campaign(
        settings, worlds=WORLDS, stack=stack, runs=runs, nonce=secrets.token_hex(8), tell=lambda progress: None
    )
    return done
