"""Kills the desk again and again while 32 cases run, at points drawn from a seed: no case is lost, no command comes
twice, no letter (but where nobody can know whether it was handed in), no answer is lost, and each case settles."""

import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from random import Random

from tests.soak.desk_kill_points import HANDED_IN, POINTS
from tests.soak.kill_points import NotReached
from tests.soak.playground import Playground, playground
from tests.soak.saying import drawn, flags, say, told, verdict

from deskworld_kit.clock import monotonic

KINDS = frozenset({"event", "rules", "untold", "turn", "decision", "echo", "mail-out", "mail-in"})
REPETITIONS = 5
MISSES = 10
BACK_WITHIN = 120.0


def main(arguments: Sequence[str]) -> int:
    parser = flags("desk_crash", __doc__)
    parser.add_argument("--kills", type=int, default=50)
    given = parser.parse_args(arguments)
    return asyncio.run(soak(given.kills, given.seed))


async def soak(kills: int, seed: int) -> int:
    since = monotonic()
    async with playground() as ground:
        playing = asyncio.create_task(_play(ground, Random(f"{seed} play"), over := asyncio.Event()))
        try:
            points, hit = await _kill_again_and_again(ground, kills, Random(seed), playing)
        except NotReached as missed:
            say(f"WRONG: {missed}")
            return 1
        finally:
            over.set()
            await asyncio.wait([playing])
        await playing
        findings = ground.failed()
        kept = await ground.books(again=1 + points[HANDED_IN])
        findings += kept.findings
        say(f"seed {seed}: {kills} kills in {monotonic() - since:.0f} s at {told(points)}")
        say(f"  found in motion by the kills: {told(hit)}")
        for what, number in kept.counted.items():
            say(f"  {number} {what}")
    if kills >= len(POINTS) and (missed_kinds := KINDS - set(hit)):
        findings.append(f"no kill hit {', '.join(sorted(missed_kinds))}")
    return verdict(findings)


async def _play(ground: Playground, draw: Random, over: asyncio.Event) -> None:
    """One campaign after the other, until all kills are done; the last is played to its end."""
    while not over.is_set():
        await ground.campaign(draw.randrange(1_000_000), repetitions=REPETITIONS, label="soak-desk-crash")
        done, verdicts = ground.played[-1]
        say(f"  campaign: passed {done.passed}/{len(verdicts)} in {done.wall_seconds:.0f} s")


async def _kill_again_and_again(
    ground: Playground, kills: int, draw: Random, playing: asyncio.Task[None]
) -> tuple[Counter[str], Counter[str]]:
    """Each point comes up as often as the others, in an order of the seed's; one that no case comes to now comes up
    again later. Gives how often each point was, and each kind of motion was found by a kill. Raises NotReached;
    whatever ended the playing."""
    names = drawn(POINTS, kills, draw)
    points, hit, misses = Counter[str](), Counter[str](), 0
    while names:
        name = names.pop(0)
        await _in_flight(ground, playing)
        try:
            async with POINTS[name](ground, draw):
                await asyncio.to_thread(ground.company.desk.kill)
                found = await ground.motions()
        except NotReached as missed:
            misses += 1
            if misses > MISSES:
                raise
            say(f"  not now: {name} ({missed})")
            names.append(name)
            continue
        points[name] += 1
        hit.update(found.keys())
        at = f"{ground.pace.now.in_flight} cases in flight; in motion {told(found)}"
        say(f"kill {points.total()}: {name}; {at}")
        since = monotonic()
        await asyncio.to_thread(ground.company.desk.start, within=BACK_WITHIN)
        say(f"  back after {monotonic() - since:.1f} s")
    return points, hit


async def _in_flight(ground: Playground, playing: asyncio.Task[None]) -> None:
    """Until cases are played. A campaign is about to begin where none is."""
    while ground.pace.now.in_flight == 0:
        ground.pace.moved.clear()
        moved = asyncio.create_task(ground.pace.moved.wait())
        await asyncio.wait([moved, playing], return_when=asyncio.FIRST_COMPLETED)
        moved.cancel()
        if playing.done():
            await playing


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
