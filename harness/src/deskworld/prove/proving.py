"""Every scenario twice, rules on and off, with the oracle; and with each control, rules off."""

import hashlib
from base64 import b32encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from deskworld import compiler
from deskworld.prove.playing import played
from deskworld.prove.proofs import ORACLE, Proof, proof
from deskworld.values.case import Case, Rules
from deskworld.values.scenario import Scenario
from deskworld.values.stack import Stack
from deskworld.world import World


@dataclass(frozen=True, slots=True)
class Told:
    """How far it is: who plays, with the rules on or off, and how many of how many cases are done."""

    agent: str
    rules: Rules
    done: int
    planned: int


async def prove(
    scenarios: Sequence[Scenario],
    *,
    world: World,
    stack: Stack,
    seeds: Sequence[int],
    parallel: int,
    nonce: str,
    actions: Mapping[str, str],
    tell: Callable[[Told], None],
) -> tuple[Proof, ...]:
    """`actions`: what each of the world's controls always proposes. Raises HarnessError."""
    rounds: list[tuple[str, Rules]] = [(ORACLE, "on"), (ORACLE, "off"), *((name, "off") for name in world.controls)]
    found: list[Proof] = []
    async with world.open(stack) as site:
        for agent, rules in rounds:
            cases = _cases(scenarios, agent, rules, world, seeds, nonce)
            done = 0

            def one_more(_: object, agent: str = agent, rules: Rules = rules, planned: int = len(cases)) -> None:
                nonlocal done
                done += 1
                tell(Told(agent, rules, done, planned))

            verdicts = await played(cases, agent, world=world, site=site, stack=stack, parallel=parallel, tell=one_more)
            found += [proof(case, verdict, agent, actions) for case, verdict in zip(cases, verdicts, strict=True)]
    return tuple(found)


def _cases(
    scenarios: Sequence[Scenario], agent: str, rules: Rules, world: World, seeds: Sequence[int], nonce: str
) -> tuple[Case, ...]:
    """What changes the whole stack shows nothing of a control that its like for one case does not show."""
    wanted = [one for one in scenarios if agent == ORACLE or one.role != "global"]
    pairs = [(scenario, seed) for seed in seeds for scenario in wanted]
    return tuple(
        compiler.compile_case(scenario, seed=seed, tag=tag(f"{nonce}:{agent}:{rules}:{nth}"), rules=rules, world=world)
        for nth, (scenario, seed) in enumerate(pairs)
    )


def tag(of: str) -> str:
    """Ten letters and digits that no other case has."""
    return b32encode(hashlib.sha256(of.encode()).digest()).decode().lower()[:10]
