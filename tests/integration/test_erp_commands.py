"""Commands through the office door over a real database: once per key, one effect, and who looks at whom."""

import asyncio
from typing import Any

from tests.support.erp import RunningErp, Seeded, invoice, line, running, situation

from deskworld_kit.ids import new_id

DEAR = [line(price="10.40")]
GAP = [line(quantity="100.000")]


async def events_of(erp: RunningErp, seeded: Seeded) -> list[tuple[str, Any]]:
    outbox = (await erp.witness(seeded.vendor_id))["outbox"]
    return [(event["type"].removeprefix("deskworld.erp."), event["data"]) for event in outbox]


# whom a command is refused


async def test_whoever_assigned_the_order_does_not_pay_and_whoever_placed_the_hold_does_not_release_it(
    erp: RunningErp,
) -> None:
    seeded = await erp.seed(situation(invoice(po_reference="wrong", lines=DEAR)))
    number = seeded.record("order")["number"]
    await erp.send("assign-po", await seeded.invoice(), by="grace.hall", against_po=number)
    found = await seeded.invoice()
    (exception,) = [one["id"] for one in found["exceptions"] if one["status"] == "OPEN"]
    refused = await erp.send("approve-variance", found, by="grace.hall", settles=[exception])
    assert (refused.status_code, refused.json()["code"]) == (403, "NOT_AUTHORISED")
    assert refused.json()["values"]["asked"] == ["assign-po"]
    await erp.send("hold", found, by="hugo.silva", exception_id=exception)
    held = await seeded.invoice()
    own = await erp.send("release-hold", held, by="hugo.silva", exception_id=exception)
    assert (own.status_code, own.json()["code"]) == (403, "NOT_AUTHORISED")
    assert (await erp.send("release-hold", held, by="grace.hall", exception_id=exception)).status_code == 200
    paid = await erp.send("approve-variance", await seeded.invoice(), by="hugo.silva", settles=[exception])
    assert paid.status_code == 200


async def test_an_unknown_invoice_and_an_unknown_action_are_not_found(erp: RunningErp) -> None:
    nowhere = {"id": new_id(), "version": 1}
    assert (await erp.send("reject", nowhere, by="grace.hall")).status_code == 404
    assert (await erp.send("approve", nowhere, by="grace.hall")).status_code == 404


async def test_the_desks_own_account_may_read_and_not_write(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=DEAR)))
    found = await seeded.invoice()
    refused = await erp.send("reject", found, by="desk")
    assert (refused.status_code, refused.json()["code"]) == (403, "NOT_AUTHORISED")


async def test_without_a_token_or_with_another_audiences_nothing_is_told(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice()))
    path = f"/invoices/{seeded.record('invoice')['id']}"
    elsewhere = {"Authorization": f"Bearer {erp.issuer.token(aud='desk-agent')}"}
    for headers in ({}, elsewhere, {"Authorization": "Bearer stage-secret-of-the-tests"}):
        assert (await erp.office.get(path, headers=headers)).status_code == 401
    office_token = {"Authorization": f"Bearer {erp.token('ines.vogel')}"}
    refused = await erp.stage.post("/stage/situations", json=situation(), headers=office_token)
    assert refused.status_code == 401


# at once


async def test_fifty_times_the_same_key_at_once_is_one_effect(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=DEAR)))
    found, key = await seeded.invoice(), new_id()
    settles = [seeded.exception("PRICE_VARIANCE")]
    answers = await asyncio.gather(
        *(erp.send("approve-variance", found, by="anna.keller", key=key, settles=settles) for _ in range(50))
    )
    assert {(one.status_code, one.content) for one in answers} == {(200, answers[0].content)}
    witness = await erp.witness(seeded.vendor_id)
    assert len(witness["commands"]) == 1
    assert [row["action"] for row in witness["audit"]].count("approve-variance") == 1
    assert (await seeded.invoice())["version"] == 2


async def test_fifty_keys_at_once_are_one_effect_and_the_others_are_stale(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=DEAR)))
    found, settles = await seeded.invoice(), [seeded.exception("PRICE_VARIANCE")]
    answers = await asyncio.gather(
        *(erp.send("approve-variance", found, by="anna.keller", settles=settles) for _ in range(50))
    )
    codes = [one.status_code for one in answers]
    assert (codes.count(200), codes.count(409)) == (1, 49)
    assert {one.json()["values"]["current_version"] for one in answers if one.status_code == 409} == {2}


async def test_one_key_for_two_invoices_at_once_is_one_effect(erp: RunningErp) -> None:
    seeded = [await erp.seed(situation(invoice(lines=DEAR))) for _ in range(2)]
    key = new_id()
    found = [await one.invoice() for one in seeded]
    answers = await asyncio.gather(*(erp.send("reject", one, by="grace.hall", key=key) for one in found))
    assert sorted(one.status_code for one in answers) == [200, 422]


async def test_two_receipts_and_a_decision_at_once_lose_no_recheck(erp: RunningErp) -> None:
    for _ in range(5):
        seeded = await erp.seed(situation(invoice(), received="60"))
        found, number = await seeded.invoice(), seeded.record("order")["number"]
        exception = seeded.exception("QTY_OVER_RECEIPT")
        hold, *_goods = await asyncio.gather(
            erp.send("hold", found, by="emma.lind", exception_id=exception),
            erp.goods(number, "20"),
            erp.goods(number, "20"),
        )
        after = await seeded.invoice()
        assert after["payable"] == "1000.00"
        held = hold.status_code == 200
        assert after["status"] == ("ON_HOLD" if held else "MATCHED"), hold.text


# the match runs again


async def test_goods_that_arrive_resolve_what_they_settle(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(), received="60"))
    receipt = await erp.goods(seeded.record("order")["number"], "40")
    after = await seeded.invoice()
    assert (after["status"], after["version"], after["payable"]) == ("MATCHED", 2, "1000.00")
    events = await events_of(erp, seeded)
    assert [kind for kind, _ in events] == [
        "match-exception.raised",
        "receipt.posted",
        "match-exception.resolved",
        "invoice.changed",
    ]
    assert events[2][1]["cause"] == {"kind": "receipt", "id": receipt["id"], "decision_id": None}
    assert (events[3][1]["action"], events[3][1]["version"]) == ("recheck", 2)


async def test_a_held_exception_stays_open_is_told_each_time_and_ends_with_its_hold(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(), received="60"))
    exception, number = seeded.exception("QTY_OVER_RECEIPT"), seeded.record("order")["number"]
    held = await erp.send("hold", await seeded.invoice(), by="emma.lind", exception_id=exception)

    partly = await erp.goods(number, "10")
    nothing = await erp.goods(number, "5", rejected="5")
    rest = await erp.goods(number, "30")

    after = await seeded.invoice()
    assert (after["status"], after["payable"]) == ("ON_HOLD", "1000.00")
    assert (after["exceptions"][0]["status"], after["exceptions"][0]["amount"]) == ("OPEN", "0.00")
    rechecked = [data for kind, data in await events_of(erp, seeded) if kind == "match-exception.rechecked"]
    assert [data["cause"]["id"] for data in rechecked] == [partly["id"], nothing["id"], rest["id"]]
    assert [data["amount"] for data in rechecked] == ["300.00", "300.00", "0.00"]
    assert [data["invoice_version"] for data in rechecked] == [3, 3, 4]
    assert [one["id"] for one in rechecked[0]["holds"]] == [held.json()["hold_id"]]

    released = await erp.send("release-hold", after, by="grace.hall", hold_id=held.json()["hold_id"])
    assert (released.json()["status"], released.json()["settled"]) == ("MATCHED", [exception])
    assert (await seeded.invoice())["exceptions"][0]["status"] == "RESOLVED"


async def test_a_released_hold_leaves_an_exception_that_still_holds(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=DEAR)))
    exception = seeded.exception("PRICE_VARIANCE")
    await erp.send("hold", await seeded.invoice(), by="emma.lind", exception_id=exception)
    again = await erp.send("hold", await seeded.invoice(), by="emma.lind", exception_id=exception)
    assert again.json()["code"] == "ALREADY_HELD"
    released = await erp.send("release-hold", await seeded.invoice(), by="grace.hall", exception_id=exception)
    assert (released.json()["status"], released.json()["settled"]) == ("EXCEPTION", [])


async def test_a_rejected_original_frees_what_was_called_its_duplicate(erp: RunningErp) -> None:
    two = (invoice("first", number="R-7", lines=DEAR), invoice("second", number="R 07", date="2026-03-30"))
    seeded = await erp.seed(situation(*two))
    assert seeded.reasons == ["PRICE_VARIANCE", "DUPLICATE"]
    await erp.send("reject", await seeded.invoice("first"), by="grace.hall", key="k-" + new_id(), decision_id="d-9")
    second = await seeded.invoice("second")
    assert (second["status"], second["payable"]) == ("MATCHED", "1000.00")
    resolved = [data for kind, data in await events_of(erp, seeded) if kind == "match-exception.resolved"]
    assert [(data["invoice_id"], data["cause"]["decision_id"]) for data in resolved] == [
        (seeded.record("first")["id"], "d-9"),
        (second["id"], "d-9"),
    ]


async def test_a_short_pay_counts_with_what_it_paid_for(erp: RunningErp) -> None:
    """100 received: the first bills 100 at another price and is short-paid; the second bills 40 more."""
    first = invoice("first", lines=[line(quantity="100", price="10.40")])
    seeded = await erp.seed(situation(first, invoice("second", lines=[line(quantity="40")]), received="60"))
    assert seeded.reasons == ["PRICE_VARIANCE", "QTY_OVER_RECEIPT", "QTY_OVER_RECEIPT"]
    await erp.send("short-pay", await seeded.invoice("first"), by="grace.hall", amount="600.00")
    assert [one["billed"] for one in (await seeded.order())["lines"]] == ["100.000"]
    await erp.goods(seeded.record("order")["number"], "40")
    second = await seeded.invoice("second")
    assert (second["status"], second["payable"]) == ("MATCHED", "400.00")


# orders named by people


async def test_an_order_that_is_assigned_is_matched(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(po_reference="wrong", lines=DEAR)))
    number = seeded.record("order")["number"]
    assigned = await erp.send("assign-po", await seeded.invoice(), by="emma.lind", against_po=number)
    assert assigned.json()["settled"] == [seeded.exception("NO_PO")]
    after = await seeded.invoice()
    assert (after["po_reference"], after["matched_po"]) == ("wrong", number)
    assert [(one["reason"], one["status"]) for one in after["exceptions"]] == [
        ("NO_PO", "RESOLVED"),
        ("PRICE_VARIANCE", "OPEN"),
    ]
    elsewhere = await erp.seed(situation())
    foreign = elsewhere.record("order")["number"]
    refused = await erp.send("assign-po", after, by="emma.lind", against_po=foreign)
    assert (refused.status_code, refused.json()["code"]) == (404, "NOT_FOUND")


async def test_goods_paid_against_a_named_order_are_not_paid_again(erp: RunningErp) -> None:
    """The first invoice names no order line at all; still its payment uses the order up."""
    blind = invoice("blind", po_reference=None, lines=[line(po_line=None)])
    seeded = await erp.seed(situation(blind, invoice("proper", date="2026-04-30")))
    assert seeded.reasons == ["NO_PO"]
    number, found = seeded.record("order")["number"], await seeded.invoice("blind")
    settles = [seeded.exception("NO_PO")]
    unnamed = await erp.send("approve-variance", found, by="grace.hall", settles=settles)
    assert unnamed.json()["code"] == "EXCEPTION_OPEN"
    refused = await erp.send("approve-variance", found, by="grace.hall", settles=settles, against_po=number)
    assert refused.json()["code"] == "INVALID_AMOUNT"  # the proper one bills all of it already
    await erp.send("assign-po", await seeded.invoice("proper"), by="emma.lind", against_po=number)

    alone = await erp.seed(situation(blind))
    found, number = await alone.invoice("blind"), alone.record("order")["number"]
    assert (await alone.order())["payable"] == "1000.00"
    settles = [alone.exception("NO_PO")]
    paid = await erp.send("approve-variance", found, by="grace.hall", settles=settles, against_po=number)
    assert (paid.json()["status"], paid.json()["amount"]) == ("APPROVED", "1000.00")
    order = await alone.order()
    assert (order["payable"], order["lines"][0]["billed"]) == ("0.00", "100.000")
    assert (await alone.invoice("blind"))["matched_po"] == number


async def test_a_controller_clears_a_false_duplicate(erp: RunningErp) -> None:
    two = (invoice("first", number="1", settled="APPROVED", lines=[line(quantity="40")]),
           invoice("second", number="1", lines=[line(quantity="60")]))  # fmt: skip
    seeded = await erp.seed(situation(*two))
    found = await seeded.invoice("second")
    refused = await erp.send("clear-duplicate", found, by="grace.hall", comment="new year")
    assert refused.json()["code"] == "NOT_AUTHORISED"
    cleared = await erp.send("clear-duplicate", found, by="ines.vogel", comment="numbers restart each year")
    assert cleared.json()["status"] == "MATCHED"
    assert (await seeded.invoice("second"))["payable"] == "600.00"


async def test_where_authority_is_trusted_the_named_person_is_recorded(erp: RunningErp) -> None:
    async with running(erp.home, erp.database_name, enforce=False) as trusting:
        seeded = await trusting.seed(situation(invoice(lines=DEAR)))
        found = await seeded.invoice()
        assert (await trusting.send("reject", found, by="desk")).status_code == 403
        assert (await trusting.send("reject", found, by="kira.stone")).status_code == 200
        witness = await trusting.witness(seeded.vendor_id)
        assert witness["audit"][-1]["user"] == {"username": "kira.stone", "sub": "sub-kira.stone"}
