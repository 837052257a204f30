"""Kills the ERP again and again under load, at points drawn from a seed: every accepted command is there once, every
event arrives at least once and in order per key, and the audit's chain holds."""

import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from random import Random

from tests.soak.erp_load import Load, prepared
from tests.soak.kill_points import POINTS, NotReached
from tests.soak.saying import drawn, flags, say, verdict
from tests.support.erp_process import ErpProcess, erp_process

from deskworld_kit.clock import monotonic, pause

DELIVERED_WITHIN = 60.0
WAITING = "SELECT count(*) FROM outbox_deliveries WHERE sent < wanted"
EVENTS = "SELECT id, key FROM outbox ORDER BY seq"
KEPT = "SELECT key, outcome FROM commands"
AUDITED = "SELECT detail->>'key' AS key, count(*) AS times FROM audit WHERE detail ? 'key' GROUP BY 1"
RECEIPTS = "SELECT count(*) FROM audit WHERE entity_kind = 'receipt' AND client <> 'stage'"


def main(arguments: Sequence[str]) -> int:
    parser = flags("erp_crash", __doc__)
    parser.add_argument("--kills", type=int, default=50)
    given = parser.parse_args(arguments)
    return asyncio.run(soak(given.kills, given.seed))


async def soak(kills: int, seed: int) -> int:
    since = monotonic()
    async with erp_process() as erp:
        load = Load(erp, await prepared(erp))
        running = asyncio.create_task(load.run(seed))
        try:
            hit = await _kill_again_and_again(erp, load, kills, Random(seed))
        except NotReached as missed:
            say(f"WRONG: {missed}")
            return 1
        finally:
            load.ending = True
            await running
        wrong = await _wrong(erp, load)
        counted = Counter(status for status, _ in load.answered.values())
        say(f"seed {seed}: {kills} kills in {monotonic() - since:.0f} s at {dict(hit)}")
        repeated = sum(1 for times in load.asked.values() if times > 1)
        say(f"  {len(load.answered)} commands answered {dict(counted)}, {repeated} of them asked more than once")
        again = len(erp.recorder.arrivals) - len(set(erp.recorder.arrivals))
        say(f"  {len(set(erp.recorder.arrivals))} events arrived, {again} of them again")
    return verdict(wrong)


async def _kill_again_and_again(erp: ErpProcess, load: Load, kills: int, draw: Random) -> Counter[str]:
    """Each point comes up as often as the others, in an order of the seed's."""
    hit: Counter[str] = Counter()
    for number, name in enumerate(drawn(POINTS, kills, draw), start=1):
        say(f"kill {number}: {name} …")
        async with POINTS[name](erp, draw):
            await asyncio.to_thread(erp.service.kill)
        hit[name] += 1
        in_flight = sorted(load.in_flight)
        kept = {row["key"] for row in await erp.watching.fetch(f"{KEPT} WHERE key = ANY($1)", in_flight)}
        waiting = await erp.watching.fetchval(WAITING)
        committed = f"of {len(in_flight)} commands in flight {len(kept)} had been committed"
        say(f"  hit; {committed}; {waiting} events were still to be sent")
        await erp.restart()
    return hit


async def _wrong(erp: ErpProcess, load: Load) -> list[str]:
    """What does not hold; nothing, when all does."""
    wrong = [*await _commands(erp, load), *await _events(erp)]
    chain = await erp.get("/audit/verify")
    if not chain["ok"]:
        wrong.append(f"the audit's chain is broken at {chain['broken']}")
    for ground in load.grounds:
        witness = await erp.stage("GET", "/witness", params={"vendor_id": ground.vendor_id})
        (bill,) = witness["invoices"]
        changes = [one for one in witness["outbox"] if one["type"].endswith("invoice.changed")]
        if [one["data"]["version"] for one in changes] != list(range(2, bill["version"] + 1)):
            wrong.append(f"{bill['id']} is at version {bill['version']} and {len(changes)} changes were published")
    return wrong


async def _commands(erp: ErpProcess, load: Load) -> list[str]:
    kept = {row["key"]: row["outcome"] for row in await erp.watching.fetch(KEPT)}
    audited = {row["key"]: row["times"] for row in await erp.watching.fetch(AUDITED)}
    wrong = [
        f"{key} was answered 200 and is {kept.get(key)}" for key in _accepted(load, 200) if kept.get(key) != "applied"
    ]
    applied = {key for key, outcome in kept.items() if outcome == "applied"}
    wrong += [f"{key} is applied and was not answered 200" for key in applied - set(_accepted(load, 200))]
    wrong += [f"{key} stands {audited.get(key, 0)} times in the audit" for key in applied if audited.get(key) != 1]
    wrong += [f"{key} stands in the audit and was not applied" for key in set(audited) - applied]
    goods = [load.answered[key][1]["id"] for key in _accepted(load, 201)]
    posted = await erp.watching.fetchval(RECEIPTS)
    if len(set(goods)) != len(goods) or posted != len(goods):
        wrong.append(f"{len(goods)} receipts were accepted, {len(set(goods))} of them different, {posted} posted")
    return wrong


def _accepted(load: Load, status: int) -> list[str]:
    return [key for key, (answered, _) in load.answered.items() if answered == status]


async def _events(erp: ErpProcess) -> list[str]:
    deadline = monotonic() + DELIVERED_WITHIN
    while waiting := await erp.watching.fetchval(WAITING):
        if monotonic() > deadline:
            return [f"{waiting} events were not delivered within {DELIVERED_WITHIN} s"]
        await pause(0.05)
    first: dict[str, int] = {}
    for place, event_id in enumerate(erp.recorder.arrivals):
        first.setdefault(event_id, place)
    wrong, last = [], dict[str, int]()
    for row in await erp.watching.fetch(EVENTS):
        arrived = first.get(row["id"])
        if arrived is None:
            wrong.append(f"event {row['id']} never arrived")
        elif arrived < last.get(row["key"], -1):
            wrong.append(f"event {row['id']} arrived before an older one of {row['key']}")
        else:
            last[row["key"]] = arrived
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
