"""Every corner of the drawn ranges: each range at its lowest and its highest, every possibility of every list.

The stage seeds them all; what the system of record raised must be what the file says, and the policy must name the
roles that the file accepts.
"""

from collections.abc import Sequence

from deskworld import compiler
from deskworld.errors import UsageWrong
from deskworld.prove.proofs import Proof
from deskworld.prove.proving import tag
from deskworld.values.case import Case
from deskworld.values.draws import Corner, open_ranges
from deskworld.values.scenario import Scenario
from deskworld.values.stack import Stack
from deskworld.world import World

CHOICES = 4
"""How often each corner is seeded, every time with the next possibility of each list."""


def corner_cases(scenario: Scenario, *, world: World, nonce: str) -> tuple[Case, ...]:
    """2^n of them for n ranges, each so often; `seed` is the corner's number."""
    ranges = sum(kind == "draw" for kind in open_ranges(scenario.seed))
    return tuple(
        compiler.compile_case(
            scenario,
            seed=number,
            tag=tag(f"{nonce}:corner:{scenario.name}:{number}"),
            rules="off",
            world=world,
            draws=Corner(number, ranges),
        )
        for number in range(CHOICES << ranges)
    )


async def prove_corners(scenarios: Sequence[Scenario], *, world: World, stack: Stack, nonce: str) -> tuple[Proof, ...]:
    """Raises UsageWrong where the world cannot show it, DoorFailed."""
    if world.corners is None:
        raise UsageWrong(f"the world {world.name!r} seeds no corners", next_step="prove without --corners")
    cases = [case for scenario in scenarios for case in corner_cases(scenario, world=world, nonce=nonce)]
    found = await world.corners(stack, cases)
    return tuple(
        Proof(
            scenario=case.scenario,
            seed=case.seed,
            rules="–",
            agent="corner",
            settled_by=None,
            delivery=None,
            wrong=tuple(wrong),
        )
        for case, wrong in zip(cases, found, strict=True)
    )
