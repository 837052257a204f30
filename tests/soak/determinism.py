"""Plays the same cases twice and compares their normalised timelines: what is seeded must come out the same.

Pairs are spread over the whole catalogue, scripted agents, and rules on and off; seeds are drawn from one seed. A pair
that differs is printed with its rows; so is a run that broke, for it proves nothing.
"""

import argparse
import asyncio
import difflib
import itertools
import json
import secrets
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Literal

from deskworld import bundle, catalogue, run
from deskworld.bundle import StoredCase
from deskworld.errors import HarnessError
from deskworld.scoring import normalise
from deskworld.stack.embedded import started
from deskworld.values.campaign import Settings
from deskworld.values.evidence import Row
from deskworld.values.stack import Stack
from deskworld.worlds import AP, WORLDS
from deskworld_kit.clock import monotonic

Rules = Literal["on", "off"]
WAYS: tuple[tuple[str, Rules], ...] = (("oracle", "on"), ("oracle", "off"), ("playbook", "on"), ("playbook", "off"))
SHOWN = 30
"""Lines of one pair's difference: what follows a difference mostly follows from it."""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak.determinism", description=__doc__)
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--parallel", type=int, default=8)
    flags = parser.parse_args(arguments)
    try:
        return asyncio.run(soak(flags.pairs, flags.seed, flags.parallel))
    except HarnessError as error:
        sys.stderr.write(f"nothing was played: {error}\n")
        return 3


async def soak(pairs: int, seed: int, parallel: int) -> int:
    since, draw, done, apart = monotonic(), Random(seed), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        async with started("determinism") as stack:
            for agent, rules in itertools.cycle(WAYS):
                chosen = scenarios(draw, pairs - done)
                settings = Settings(
                    scenarios=chosen,
                    agent=agent,
                    rules=rules,
                    seed=draw.randrange(10**6),
                    parallel=parallel,
                    label="determinism",
                    shared=True,  # what waits for an answer is from the round before
                )
                found = [differ(*pair) for pair in await twice(settings, stack, Path(folder))]
                different = [lines for lines in found if lines]
                done, apart = done + len(found), apart + len(different)
                say(f"  {agent}, rules {rules}, seed {settings.seed}: {len(found) - len(different)} of {len(found)}")
                for line in itertools.chain.from_iterable(different):
                    say(f"    {line}")
                if done >= pairs or len(found) < len(chosen):
                    break
    say(f"seed {seed}: {done - apart} of {pairs} pairs the same, in {monotonic() - since:.0f} s")
    return int(done - apart < pairs)


def scenarios(draw: Random, left: int) -> tuple[str, ...]:
    """All that do not befall the whole stack, or so many of them as are left to be played."""
    names = [one.name for one in catalogue.load_all(AP.scenarios).values() if one.role != "global"]
    return tuple(names) if left >= len(names) else tuple(sorted(draw.sample(names, left)))


async def twice(settings: Settings, stack: Stack, runs: Path) -> list[tuple[StoredCase, StoredCase]]:
    """The second time in other company: what is played beside a case must not show in it. Raises HarnessError."""
    sides = []
    for parallel in (settings.parallel, max(1, settings.parallel // 2)):
        done, _ = await run.campaign(
            settings.model_copy(update={"parallel": parallel}),
            worlds=WORLDS,
            stack=stack,
            runs=runs,
            nonce=secrets.token_hex(8),
            tell=lambda _: None,
        )
        found = bundle.read_bundle(Path(done.bundle)).cases()
        sides.append(sorted(found, key=lambda one: (one.record.case.scenario, one.record.case.seed)))
    return list(zip(*sides, strict=True))


def differ(one: StoredCase, other: StoredCase) -> list[str]:
    """Lines that say what differs; none where the timelines are equal. Two cases of one scenario and seed."""
    case = one.record.case
    name = f"{case.scenario}, seed {case.seed}"
    if not (one.verdict.passed and other.verdict.passed):
        return [f"{name}: passed {one.verdict.passed} and {other.verdict.passed}", *broken(one), *broken(other)]
    here, there = normal(one), normal(other)
    if not here:
        return [f"{name}: a timeline without a row"]
    if here == there:
        return []
    lines = list(difflib.unified_diff(shown(here), shown(there), "first", "second", n=1, lineterm=""))
    return [f"{name}: other rows", *lines[:SHOWN]]


def broken(one: StoredCase) -> Iterator[str]:
    if one.verdict.broken:
        yield f"broke: {one.verdict.broken}"
    yield from (f"failed: {check.name}" for check in one.verdict.checks if not check.passed)


def normal(one: StoredCase) -> list[Row]:
    return normalise(one.evidence.timelines, one.record.case.tag) if one.evidence else []


def shown(rows: list[Row]) -> list[str]:
    """Without the chain: after a first difference all of its hashes differ."""
    return [
        f"{row['seq']:3} after {row['cause'] or '-'} {row['kind']} {_json(row['actor'])} {_json(row['data'])}"
        for row in rows
    ]


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - a soak prints what it found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
