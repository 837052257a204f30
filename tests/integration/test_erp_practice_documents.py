"""Cases that other systems got wrong, with their figures, through the doors: duplicates, holds, retries, disputes.

The numbers M-… are those of docs/guides/erp-practice.md.
"""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from tests.support.erp import BANK_CHANGE, RunningErp, invoice, line, situation
from tests.support.erp_office import bill, billed, goods, open_reasons, post, posted, reversed_, told
from tests.support.ubl import document
from tests.support.ubl import line as ubl_line

from deskworld_kit.ids import new_id


def orders(*quantities: str, price: str = "10.00") -> list[dict[str, Any]]:
    return [
        {"item": "BOLT-M8", "description": "Bolt", "unit": "EA", "quantity": quantity, "price": price}
        for quantity in quantities
    ]


# M-01


async def test_m01_numbering_that_restarts_each_year_is_let_through_by_the_controller(erp: RunningErp) -> None:
    """`1` of December, 410.00 on one receipt, and `1` of January, 388.00 on another: two bills."""
    december = invoice("december", number="1", date="2019-12-30", lines=[line(quantity="1.000", price="410.00")])
    january = invoice(
        "january", number="1", date="2020-01-15", lines=[line(po_line=2, quantity="1.000", price="388.00")]
    )
    two = {"lines": [*orders("1", price="410.00"), *orders("1", price="388.00")]}
    described = situation(december, january, received="1", order=two)
    second = {"ref": "second", "order": "order", "date": "2020-01-10", "lines": [{"line": 2, "quantity": "1"}]}
    described["receipts"].append(second)
    seeded = await erp.seed(described)
    assert seeded.reasons == ["DUPLICATE"], "the number alone is a signal: a person looks"
    found = await seeded.invoice("january")
    assert found["exceptions"][0]["masked"] == [], "amount and receipt speak for it"
    cleared = await erp.send("clear-duplicate", found, by="ines.vogel", comment="numbering restarts each January")
    assert cleared.json()["status"] == "MATCHED"
    now = await seeded.invoice("january")
    assert (now["payable"], now["status"]) == ("388.00", "MATCHED")


async def test_m01_the_same_bill_keyed_twice_on_two_days_is_held_as_a_duplicate(erp: RunningErp) -> None:
    """1234 of 410.00 on one receipt, dated one day and the next."""
    one = [line(quantity="1.000", price="410.00")]
    first = invoice("first", number="1234", date="2026-03-10", lines=one)
    again = invoice("again", number="1234", date="2026-03-11", lines=one)
    seeded = await erp.seed(situation(first, again, received="1", order={"lines": orders("1", price="410.00")}))
    found = await seeded.invoice("again")
    assert (open_reasons(found), found["payable"]) == (["DUPLICATE"], "0.00")
    assert [one["reason"] for one in found["exceptions"][0]["masked"]] == ["QTY_OVER_RECEIPT"]


# M-02


async def test_m02_two_partial_bills_of_one_order_are_no_duplicates(erp: RunningErp) -> None:
    """Order of 100 with one order confirmation; `A-1` bills 60 and `A-2` 40."""
    seeded = await erp.seed(situation())
    first = await bill(erp, seeded, number="A-1", lines=[billed("60", description="order confirmation 4711")])
    second = await bill(erp, seeded, number="A-2", lines=[billed("40", description="order confirmation 4711")])
    assert (first["status"], second["status"]) == ("MATCHED", "MATCHED")
    assert (first["payable"], second["payable"]) == ("600.00", "400.00")


# M-03


async def test_m03_one_document_that_arrives_twice_is_one_invoice(erp: RunningErp) -> None:
    """The same XML embedded and loose: under one key it is one invoice, under two the second is a duplicate."""
    seeded = await erp.seed(situation(order={"lines": orders("1", price="1190.00")}, received="1"))
    content = document(
        ubl_line(quantity="1", price="1190.00"), order=seeded.record("order")["number"], payable="1190.00"
    )
    path = f"/invoices?vendor_id={seeded.vendor_id}"
    embedded = await post(erp, path, content, key=f"mail-1-{seeded.vendor_id}")
    loose = await post(erp, path, content, key=f"mail-1-{seeded.vendor_id}")
    assert embedded.content == loose.content
    other_mail = await posted(erp, path, content)
    listed = (await erp.get(f"/vendors/{seeded.vendor_id}/invoices"))["items"]
    assert [(one["status"], open_reasons(one)) for one in listed] == [("MATCHED", []), ("EXCEPTION", ["DUPLICATE"])]
    assert other_mail["id"] == listed[1]["id"]


async def test_m03_two_amounts_under_one_number_are_never_chosen_between(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(order={"lines": orders("1", price="1190.00")}, received="1"))
    await bill(erp, seeded, number="RE-7", lines=[billed("1", "1190.00")])
    other = await bill(erp, seeded, number="RE-7", lines=[billed("1", "1910.00")])
    assert (open_reasons(other), other["payable"]) == (["DUPLICATE"], "0.00")


# M-16


@pytest.mark.parametrize(
    ("action", "body"),
    [("approve-variance", {}), ("approve-variance", {"amount": "1040.00"}), ("short-pay", {"amount": "1020.00"})],
)
@pytest.mark.parametrize("status", ["held", "held for a bank change", "held as a duplicate"])
async def test_m16_nothing_that_is_held_is_paid_by_any_path_in_silence(
    erp: RunningErp, action: str, body: dict[str, Any], status: str
) -> None:
    dear = [line(price="10.40")]
    changes: dict[str, Any] = {"bank_changes": [BANK_CHANGE]} if "bank" in status else {}
    bills = [invoice("first", number="RE-1")] if "duplicate" in status else []
    seeded = await erp.seed(situation(*bills, invoice(number="RE-1", lines=dear), **changes))
    found = await seeded.invoice()
    reason = found["exceptions"][0]["reason"]
    held = await erp.send("hold", found, by="emma.lind", exception_id=seeded.exception(reason))
    before = await seeded.invoice()
    assert held.json()["status"] == before["status"] == "ON_HOLD"
    for person in ("anna.keller", "grace.hall", "ines.vogel", "emma.lind", "desk"):
        answer = await erp.send(action, before, by=person, **body)
        assert answer.status_code in {403, 422}, answer.text
    assert await seeded.invoice() == before


# M-19


@pytest.mark.parametrize("amount", ["9999.99", "10000.00", "10000.01"])
@pytest.mark.parametrize("reason", ["PRICE_VARIANCE", "QTY_OVER_RECEIPT", "UNPLANNED_CHARGE"])
async def test_m19_one_limit_holds_whatever_the_invoice_is_over_in(erp: RunningErp, amount: str, reason: str) -> None:
    """The manager's 10,000.00: of price, of quantity and of freight alike; the controller has none."""
    of = {
        "PRICE_VARIANCE": (invoice(lines=[line(quantity="1.000", price=amount)]), "1", "10.00"),
        "QTY_OVER_RECEIPT": (invoice(lines=[line(quantity="1.000", price=amount)]), "0.5", amount),
        "UNPLANNED_CHARGE": (
            invoice(lines=[line(quantity="1.000", price="10.00")], freight=f"{float(amount) - 10:.2f}"), "1", "10.00",
        ),
    }  # fmt: skip
    bill_of, received, price = of[reason]
    seeded = await erp.seed(situation(bill_of, received=received, order={"lines": orders("1", price=price)}))
    assert seeded.reasons == [reason]
    found = await seeded.invoice()
    settles = [one["id"] for one in found["exceptions"]]
    answer = await erp.send("approve-variance", found, by="grace.hall", settles=settles)
    if amount == "10000.01":
        assert (answer.status_code, answer.json()["code"]) == (403, "NOT_AUTHORISED")
        answer = await erp.send("approve-variance", found, by="ines.vogel", settles=settles)
    assert (answer.status_code, answer.json()["amount"]) == (200, amount)


# M-20


async def test_m20_a_receipt_that_is_reversed_and_posted_again_is_matched_once(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(), received=None))
    came = await goods(erp, seeded, "100")
    back = await reversed_(erp, came["id"], why="wrong date")
    assert [one["quantity"] for one in back["lines"]] == ["-100.000"]
    await goods(erp, seeded, "100")
    order = await seeded.order()
    assert (order["lines"][0]["accepted"], order["lines"][0]["billed"], order["payable"]) == (
        "100.000", "100.000", "0.00",
    )  # fmt: skip
    assert (await seeded.invoice())["status"] == "MATCHED"


# M-22


@pytest.mark.parametrize("times", [1, 2, 3])
async def test_m22_an_event_that_is_delivered_again_is_the_same_event(erp: RunningErp, times: int) -> None:
    seeded = await erp.seed(situation(invoice(lines=[line(price="10.40")])))
    (first,) = await erp.desk.until(seeded.vendor_id, 1)
    before = await seeded.invoice()
    for _ in range(times - 1):
        answer = await erp.stage.post(f"/stage/events/{first['id']}/redeliver")
        assert answer.status_code == 202
    taken = await erp.desk.until(seeded.vendor_id, times)
    assert [json.dumps(one) for one in taken] == [json.dumps(first)] * times
    assert await seeded.invoice() == before


# M-23


async def test_m23_a_command_whose_answer_was_lost_is_found_again_before_it_is_tried_again(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=[line(price="10.40")])))
    found = await seeded.invoice()
    settles = [seeded.exception("PRICE_VARIANCE")]
    key = f"d-{seeded.vendor_id}"
    lost = await erp.send("approve-variance", found, by="anna.keller", key=key, settles=settles)
    outcome = await erp.get(f"/commands/{key}")
    assert (outcome["outcome"], outcome["version"], outcome["answer"]["amount"]) == ("applied", 2, "1040.00")
    again = await erp.send("approve-variance", found, by="anna.keller", key=key, settles=settles)
    assert again.content == lost.content
    paid = [one for one in (await erp.witness(seeded.vendor_id))["audit"] if one["action"] == "approve-variance"]
    assert len(paid) == 1


# M-24


async def test_m24_a_retry_after_a_failed_step_files_nothing_twice_and_nowhere_else(erp: RunningErp) -> None:
    """A vendor is named by an exact identifier; under the same key the committed document is named again."""
    seeded = await erp.seed(situation())
    name = (await erp.get(f"/vendors/{seeded.vendor_id}"))["name"]
    retyped = document(seller=name, order=seeded.record("order")["number"])
    nowhere = await post(erp, "/invoices", retyped)
    assert (nowhere.status_code, "name no vendor" in nowhere.json()["detail"]) == (400, True)
    body = {"vendor_id": seeded.vendor_id, "number": "RE-1", "date": "2026-03-10", "currency": "USD"}
    body |= {"po_reference": seeded.record("order")["number"], "lines": [billed("100")]}
    key = f"file-{seeded.vendor_id}"
    first = await posted(erp, "/invoices", body, key=key)
    again = await posted(erp, "/invoices", body, key=key)
    assert again == first
    assert [one["id"] for one in (await erp.get(f"/vendors/{seeded.vendor_id}/invoices"))["items"]] == [first["id"]]
    elsewhere = await post(erp, "/invoices", body | {"vendor_id": new_id()}, key=key)
    assert elsewhere.json()["code"] == "IDEMPOTENCY_KEY_REUSED"


# M-25


async def test_m25_a_part_is_disputed_and_the_rest_is_paid(erp: RunningErp) -> None:
    """2,000.00, of which 300.00 are disputed: 1,700.00 are paid, and releasing the hold frees no cent more."""
    seeded = await erp.seed(
        situation(invoice(lines=[line(price="20.00")]), order={"lines": orders("100", price="17.00")})
    )
    found = await seeded.invoice()
    assert (told(found), found["payable"]) == ([("PRICE_VARIANCE", "300.00")], "1700.00")
    disputed = seeded.exception("PRICE_VARIANCE")
    await erp.send("hold", found, by="emma.lind", exception_id=disputed, comment="rate dispute")
    held = await seeded.invoice()
    assert held["payable"] == "1700.00"
    more = await erp.send("short-pay", held, by="grace.hall", amount="1700.01")
    assert (more.status_code, more.json()["code"]) == (422, "EXCEPTION_OPEN")
    released = await erp.send("release-hold", held, by="grace.hall", exception_id=disputed)
    assert released.json()["status"] == "EXCEPTION"
    assert (await seeded.invoice())["payable"] == "1700.00"
    paid = await erp.send("short-pay", await seeded.invoice(), by="grace.hall", amount="1700.00")
    assert (paid.json()["status"], paid.json()["amount"]) == ("APPROVED", "1700.00")
    rest = await erp.send("short-pay", await seeded.invoice(), by="ines.vogel", amount="300.00", settles=[disputed])
    assert (rest.status_code, rest.json()["code"]) == (422, "INVALID_TRANSITION")


def test_every_case_has_a_test_or_a_decision() -> None:
    """M-01 … M-25: each stands in a test's name, in one of the two files, or in the decision that says why not."""
    from tests.support.repository import ROOT  # noqa: PLC0415 - the other tests need no repository

    tests: Sequence[str] = [path.read_text() for path in ROOT.glob("tests/*/test_erp_practice_*.py")]
    decided = (ROOT / "docs/decisions/0007-cases-of-practice-that-are-not-the-erps.md").read_text()
    tested = {number for number in range(1, 26) if any(f"def test_m{number:02}_" in text for text in tests)}
    not_ours = {number for number in range(1, 26) if f"M-{number:02}" in decided} - tested
    assert tested | not_ours == set(range(1, 26))
    assert len(not_ours) <= 5
