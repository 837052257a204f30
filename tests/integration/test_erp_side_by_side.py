"""Many hands at once on few vendors: no deadlock, no lost effect, one chain."""

import asyncio
from random import Random

import pytest
from tests.support.erp import RunningErp, Seeded, invoice, line, situation

from deskworld_kit.ids import new_id

EXPECTED = {200, 404, 409, 422}


async def act(erp: RunningErp, seeded: Seeded, ref: str, draw: Random) -> int:
    found = await seeded.invoice(ref)
    still_open = [one for one in found["exceptions"] if one["status"] == "OPEN"]
    number = seeded.record("order")["number"]
    if draw.random() < 0.2:
        await erp.goods(number, "1")
        return 200
    if not still_open:
        return 200
    one = draw.choice(still_open)
    action, by = draw.choice(
        [("hold", "emma.lind"), ("release-hold", "grace.hall"), ("request-credit-memo", "emma.lind"),
         ("short-pay", "grace.hall"), ("reject", "ines.vogel")]
    )  # fmt: skip
    said = {"amount": "1.00"} if action == "short-pay" else {"exception_id": one["id"]}
    answer = await erp.send(action, found, by=by, **said)
    return int(answer.status_code)


@pytest.mark.slow
async def test_mixed_commands_on_a_few_vendors_neither_block_each_other_nor_break_the_chain(erp: RunningErp) -> None:
    draw = Random(11)
    bills = [invoice(f"i{n}", number=f"S-{n}", lines=[line(quantity="40", price=f"1{n}.00")]) for n in range(3)]
    seeded = [await erp.seed(situation(*bills, received="50")) for _ in range(4)]
    tasks = [(one, f"i{draw.randrange(3)}", Random(draw.random())) for one in seeded for _ in range(60)]
    draw.shuffle(tasks)
    side_by_side = asyncio.Semaphore(16)

    async def one_task(task: tuple[Seeded, str, Random]) -> int:
        async with side_by_side:
            return await act(erp, *task)

    async with asyncio.timeout(60):
        statuses = await asyncio.gather(*map(one_task, tasks))
    assert set(statuses) <= EXPECTED
    assert (await erp.get("/audit/verify", by="kira.stone"))["ok"]
    for one in seeded:
        witness = await erp.witness(one.vendor_id)
        applied = [command for command in witness["commands"] if command["outcome"] == "applied"]
        rows = [row for row in witness["audit"] if "key" in row["detail"]]
        assert len(applied) == len(rows)
        for bill in witness["invoices"]:
            changes = [event for event in witness["outbox"] if event["subject"] == bill["id"]]
            assert [event["data"]["version"] for event in changes] == list(range(2, bill["version"] + 1))


async def test_the_same_key_is_another_key_for_another_person(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=[line(price="10.40")])))
    key, exception = new_id(), seeded.exception("PRICE_VARIANCE")
    held = await erp.send("hold", await seeded.invoice(), by="emma.lind", key=key, exception_id=exception)
    released = await erp.send("release-hold", await seeded.invoice(), by="grace.hall", key=key, exception_id=exception)
    assert (held.status_code, released.status_code) == (200, 200)
    assert (await erp.get(f"/commands/{key}", by="emma.lind"))["answer"]["action"] == "hold"
    assert (await erp.get(f"/commands/{key}", by="grace.hall"))["answer"]["action"] == "release-hold"
