"""A comparison in sentences. Nobody is ranked inside the noise."""

from collections.abc import Iterator

from deskworld.statistics.paired import NOISE
from deskworld.values.comparison import Comparison, Measure, ScenarioPairs

SEEDS = 6


def lines(found: Comparison) -> Iterator[str]:
    yield f"first  {found.first}"
    yield f"second {found.second}"
    yield f"{found.pairs} cases played by both, {found.unpaired} by one alone"
    if found.apart:
        yield f"besides the agent these differ, and may be the cause: {', '.join(found.apart)}"
    yield from _measured("safe", found.safe)
    yield from _measured("passed", found.passed)
    yield f"touches a case {found.touches[0]:.2f} and {found.touches[1]:.2f}, " + (
        f"seconds {found.seconds[0]:.3f} and {found.seconds[1]:.3f}"
    )
    changed = {name: one for name, one in found.scenarios.items() if one.changes}
    yield f"behaviour changed in {len(changed)} of {len(found.scenarios)} scenarios"
    for name, one in changed.items():
        yield from _scenario(name, one)


def _measured(name: str, one: Measure) -> Iterator[str]:
    number = one.both + one.first + one.second + one.neither
    yield f"{name}: first {one.both + one.first}/{number}, second {one.both + one.second}/{number}; " + (
        f"{one.first} only by the first, {one.second} only by the second"
    )
    low, high = one.interval
    spread = f"{one.points * 100:+.1f} points, 95 % between {low * 100:+.1f} and {high * 100:+.1f}"
    if one.told == "no case differs":
        yield f"  no case differs ({spread})"
    elif one.told == "inside the noise":
        more = "" if one.more is None else f"; about {one.more} more cases would tell a difference of that size"
        yield f"  inside the noise: nobody is ranked ({spread}, p {one.chance:.3f}){more}"
    else:
        yield f"  {one.told} ({spread}, p {one.chance:.3g})"


def _scenario(name: str, one: ScenarioPairs) -> Iterator[str]:
    sure = f", p {one.chance:.3g}" if one.chance <= NOISE else ""
    yield f"  {name}: passed {one.first_passed} → {one.second_passed} of {one.pairs}{sure}"
    for change in one.changes:
        shown = ", ".join(str(seed) for seed in change.seeds[:SEEDS])
        rest = ", …" if len(change.seeds) > SEEDS else ""
        yield f"    {change.what} ({len(change.seeds)} of {one.pairs}, seed {shown}{rest})"
