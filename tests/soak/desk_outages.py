"""The policy server, the ERP, the mail server and the issuer, each away for 20 s in the middle of 32 cases: every case
settles rightly afterwards, and what is paid meanwhile was decided by a person whom the policy had named."""

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

from tests.soak.playground import Playground, playground
from tests.soak.saying import flags, say, told, verdict

from deskworld import bundle
from deskworld_kit import clock

PARTS = ("policy", "erp", "mail", "identity")
PAYS = frozenset({"approve-variance", "short-pay"})
BUSY, DONE = 20, 8
"""So many cases are in flight, and so many have ended, before a part goes: it goes in the middle."""
BUSY_WITHIN = 120.0
REPETITIONS = 3


def main(arguments: Sequence[str]) -> int:
    parser = flags("desk_outages", __doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--part", choices=PARTS, action="append", help="may be given often")
    given = parser.parse_args(arguments)
    return asyncio.run(soak(given.part or list(PARTS), given.seconds, given.seed))


async def soak(parts: Sequence[str], seconds: float, seed: int) -> int:
    draw, findings = Random(seed), list[str]()
    async with playground() as ground:
        for part in parts:
            playing = asyncio.create_task(
                ground.campaign(draw.randrange(1_000_000), repetitions=REPETITIONS, label=f"soak-without-{part}")
            )
            began, back = await _away(ground, part, seconds, playing)
            await playing
            done, verdicts = ground.played[-1]
            paid = await _paid(ground, began, back)
            say(f"without {part} for {seconds:.0f} s: passed {done.passed}/{len(verdicts)}; {len(paid)} paid meanwhile")
            findings += [f"without {part}: {what}" for one in paid for what in _unfounded(one)]
            if part in {"policy", "erp"} and (soon := [one for one in paid if not one["asked"]]):
                findings.append(f"without {part}: {len(soon)} payments that no policy had routed before")
        findings += ground.failed()
        kept = await ground.books(again=2)
        findings += kept.findings
        for what, number in kept.counted.items():
            say(f"  {number} {what}")
    return verdict(findings)


async def _away(
    ground: Playground, part: str, seconds: float, playing: asyncio.Task[None]
) -> tuple[datetime, datetime]:
    """Kills the part once many cases are in flight, and starts it again so much later."""
    deadline = clock.monotonic() + BUSY_WITHIN
    while (ground.pace.now.done < DONE or ground.pace.now.in_flight < BUSY) and not playing.done():
        if clock.monotonic() > deadline:
            raise AssertionError(f"awaited {BUSY} cases in flight for {BUSY_WITHIN} s; last seen {ground.pace.now}")
        await clock.pause(0.01)
    program: Any = getattr(ground.company, part)
    await asyncio.to_thread(program.kill)
    began = clock.now()
    say(f"{part} is away, with {ground.pace.now.in_flight} cases in flight; in motion {told(await ground.motions())}")
    await clock.pause(seconds)
    say(f"  before it is back: in motion {told(await ground.motions())}")
    await asyncio.to_thread(program.start)
    return began, clock.now()


async def _paid(ground: Playground, began: datetime, back: datetime) -> list[Mapping[str, Any]]:
    """What the ERP paid meanwhile: the row of its audit, and the timeline of the case that it was decided on."""
    found: list[Mapping[str, Any]] = []
    for case in bundle.read_bundle(Path(ground.played[-1][0].bundle)).cases():
        if case.evidence is None or case.evidence.erp is None:
            continue
        rows = {
            row["data"].get("decision_id"): timeline.rows
            for timeline in case.evidence.timelines
            for row in timeline.rows
            if row["kind"] == "decision.made"
        }
        for audited in case.evidence.erp["audit"]:
            at = datetime.fromisoformat(audited["at"])
            if audited["action"] in PAYS and began <= at <= back:
                timeline = rows.get(audited["decision_id"], ())
                asked = [row for row in timeline if row["kind"] == "policy.asked" and row["data"]["effect"] == "route"]
                found.append({"audit": audited, "rows": timeline, "asked": asked})
    return found


def _unfounded(paid: Mapping[str, Any]) -> list[str]:
    """Every payment has its decision, by the person whom the ERP names, after the policy routed it to somebody."""
    audited, rows = paid["audit"], paid["rows"]
    key = audited["decision_id"]
    made = [row for row in rows if row["kind"] == "decision.made" and row["data"]["decision_id"] == key]
    wrong: list[tuple[Callable[[], bool], str]] = [
        (lambda: not made, "was paid and decided by nobody"),
        (lambda: bool(made) and made[-1]["data"]["verdict"] != "approve", "was paid and declined"),
        (
            lambda: bool(made) and made[-1]["data"]["by"]["username"] != (audited["user"] or {}).get("username"),
            "was paid by somebody else than its decider",
        ),
    ]
    return [f"decision {key} {what}" for holds, what in wrong if holds()]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
