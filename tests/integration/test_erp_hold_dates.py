"""Holds with a date: until it is reached they stand, then the match runs again; by the vendor's office clock."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from tests.support.erp import RunningErp, Seeded, invoice, line, situation

from deskworld_erp.invoicing.hold_dates import HoldDates, end_due_holds
from deskworld_kit import clock
from deskworld_kit.clock import monotonic

DEAR = [line(price="10.40")]


def in_days(days: float) -> str:
    return (clock.now() + timedelta(days=days)).isoformat()


async def hold(erp: RunningErp, seeded: Seeded, reason: str, ref: str = "invoice", **body: Any) -> dict[str, Any]:
    found = await seeded.invoice(ref)
    (exception,) = [one["id"] for one in found["exceptions"] if one["reason"] == reason]
    answer = await erp.send("hold", found, by="emma.lind", exception_id=exception, **body)
    assert answer.status_code == 200, answer.text
    said: dict[str, Any] = answer.json()
    return said


async def move(erp: RunningErp, seeded: Seeded, days: float) -> None:
    path = f"/stage/vendors/{seeded.vendor_id}/office-time"
    answer = await erp.stage.put(path, json={"ahead_seconds": int(days * 86_400)})
    assert answer.status_code == 200, answer.text


async def told(erp: RunningErp, seeded: Seeded) -> list[tuple[str, Any]]:
    outbox = (await erp.witness(seeded.vendor_id))["outbox"]
    return [(one["type"].removeprefix("deskworld.erp."), one["data"]) for one in outbox]


async def test_a_hold_with_a_date_stands_until_it_is_reached(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=DEAR)))
    until = in_days(7)
    held = await hold(erp, seeded, "PRICE_VARIANCE", until=until)
    (shown,) = (await seeded.invoice())["exceptions"][0]["holds"]
    assert clock.now() < clock.now().fromisoformat(shown["until"]) == clock.now().fromisoformat(until)
    await move(erp, seeded, 6)
    assert (await seeded.invoice())["status"] == "ON_HOLD"
    await move(erp, seeded, 7.01)
    after = await seeded.invoice()
    assert (after["status"], after["version"], after["exceptions"][0]["holds"]) == ("EXCEPTION", 3, [])
    last = (await told(erp, seeded))[-2:]
    cause = {"kind": "hold-date", "id": held["hold_id"], "decision_id": None}
    assert [(kind, data.get("cause")) for kind, data in last] == [
        ("match-exception.rechecked", cause),
        ("invoice.changed", None),
    ]
    assert last[0][1]["holds"] == []
    row = (await erp.witness(seeded.vendor_id))["audit"][-1]
    assert (row["action"], row["user"], row["detail"]["hold_id"]) == ("end-hold", None, held["hold_id"])


async def test_what_was_settled_meanwhile_is_resolved_when_the_date_comes(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(), received="60"))
    await hold(erp, seeded, "QTY_OVER_RECEIPT", until=in_days(3))
    await erp.goods(seeded.record("order")["number"], "40")
    assert (await seeded.invoice())["status"] == "ON_HOLD"
    await move(erp, seeded, 4)
    after = await seeded.invoice()
    assert (after["status"], after["exceptions"][0]["status"], after["payable"]) == ("MATCHED", "RESOLVED", "1000.00")
    resolved = [data for kind, data in await told(erp, seeded) if kind == "match-exception.resolved"]
    assert [one["cause"]["kind"] for one in resolved] == ["hold-date"]


async def test_of_two_holds_the_one_whose_date_comes_ends_and_the_other_is_told(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=DEAR, freight="85.00")))
    await hold(erp, seeded, "PRICE_VARIANCE", until=in_days(2))
    await hold(erp, seeded, "UNPLANNED_CHARGE")
    await move(erp, seeded, 3)
    after = await seeded.invoice()
    assert after["status"] == "ON_HOLD"
    standing = {one["reason"]: bool(one["holds"]) for one in after["exceptions"]}
    assert standing == {"PRICE_VARIANCE": False, "UNPLANNED_CHARGE": True}
    rechecked = [data["reason"] for kind, data in await told(erp, seeded) if kind == "match-exception.rechecked"]
    assert sorted(rechecked) == ["PRICE_VARIANCE", "UNPLANNED_CHARGE"]


async def test_two_dates_that_are_reached_together_end_in_their_order(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=DEAR, freight="85.00")))
    later = await hold(erp, seeded, "PRICE_VARIANCE", until=in_days(2))
    sooner = await hold(erp, seeded, "UNPLANNED_CHARGE", until=in_days(1))
    await move(erp, seeded, 3)
    causes = [data["cause"]["id"] for kind, data in await told(erp, seeded) if kind == "match-exception.rechecked"]
    assert list(dict.fromkeys(causes)) == [sooner["hold_id"], later["hold_id"]]
    assert (await seeded.invoice())["version"] == 5


@pytest.mark.parametrize("until", ["2020-01-01T00:00:00+00:00", "2026-04-15", "2026-04-15T00:00:00", "soon", 7])
async def test_a_date_is_a_moment_to_come(erp: RunningErp, until: Any) -> None:
    seeded = await erp.seed(situation(invoice(lines=DEAR)))
    found, exception = await seeded.invoice(), seeded.exception("PRICE_VARIANCE")
    refused = await erp.send("hold", found, by="emma.lind", exception_id=exception, until=until)
    assert (refused.status_code, refused.json()["code"]) == (400, "INVALID_REQUEST")
    elsewhere = await erp.send("reject", found, by="grace.hall", until=in_days(1))
    assert elsewhere.json()["code"] == "INVALID_REQUEST"


async def test_a_credit_memo_that_is_asked_for_on_a_held_exception_may_set_the_date(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=DEAR)))
    await hold(erp, seeded, "PRICE_VARIANCE")
    found, exception = await seeded.invoice(), seeded.exception("PRICE_VARIANCE")
    await erp.send("request-credit-memo", found, by="emma.lind", exception_id=exception, until=in_days(5))
    (standing,) = (await seeded.invoice())["exceptions"][0]["holds"]
    assert (standing["why"], standing["until"] is not None) == ("credit memo", True)
    await move(erp, seeded, 6)
    assert (await seeded.invoice())["status"] == "EXCEPTION"


async def test_a_date_that_is_reached_twice_at_once_ends_the_hold_once(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=DEAR)))
    await hold(erp, seeded, "PRICE_VARIANCE", until=in_days(1))
    await move(erp, seeded, 0.999)
    await move(erp, seeded, 1.001)
    ended = await asyncio.gather(*(end_due_holds(erp.erp, seeded.vendor_id) for _ in range(10)))
    assert (sum(ended), (await seeded.invoice())["version"]) == (0, 3)


async def test_a_date_is_reached_by_the_clock_alone(erp: RunningErp) -> None:
    """Nobody moves office time: the hold ends when its moment comes."""
    running = asyncio.create_task(HoldDates(erp.erp).run())
    try:
        seeded = await erp.seed(situation(invoice(lines=DEAR)))
        await hold(erp, seeded, "PRICE_VARIANCE", until=in_days(0.5 / 86_400))
        since = monotonic()
        events = await erp.desk.until(seeded.vendor_id, 4)  # raised, changed, rechecked, changed
        assert events[2]["data"]["cause"]["kind"] == "hold-date"
        assert monotonic() - since < 5
    finally:
        running.cancel()
        await asyncio.wait([running])
