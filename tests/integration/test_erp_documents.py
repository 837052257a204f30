"""Documents at the office door: posted once, kept as they came, and each of them matches its invoices again."""

from itertools import permutations
from typing import Any

import asyncpg
import pytest
from asyncpg.exceptions import RaiseError
from tests.support.erp import RunningErp, Seeded, invoice, line, situation
from tests.support.erp_office import (
    bill,
    billed,
    credited,
    events_of,
    goods,
    open_reasons,
    post,
    posted,
    reversed_,
    revised,
    told,
)

from deskworld_kit.ids import new_id

connect: Any = asyncpg.connect  # it has no types


async def invoice_of(erp: RunningErp, found: dict[str, Any]) -> Any:
    return await erp.get(f"/invoices/{found['id']}")


# receipts


async def test_a_reversal_is_the_exact_negative_of_its_receipt(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(), received=None))
    came = await goods(erp, seeded, "100", rejected="20")
    back = await reversed_(erp, came["id"])
    assert back["reverses"] == came["id"]
    assert back["lines"] == [
        {"line": 1, "unit": "EA", "quantity": "-100.000", "accepted": "-80.000", "rejected": "-20.000"}
    ]
    assert told(await seeded.invoice()) == [("NO_RECEIPT", "1000.00")]
    twice = await post(erp, f"/goods-receipts/{came['id']}/reversal", {"date": "2026-03-21", "why": "again"})
    assert (twice.status_code, twice.json()["code"]) == (422, "INVALID_TRANSITION")
    assert twice.json()["values"]["reversed_by"] == back["id"]
    of_reversal = await post(erp, f"/goods-receipts/{back['id']}/reversal", {"date": "2026-03-21", "why": "undo"})
    assert of_reversal.json()["code"] == "INVALID_TRANSITION"


async def test_goods_in_a_unit_without_conversion_make_the_line_unreadable_until_one_is_set(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(), received=None))
    await goods(erp, seeded, "4", unit="XBX")
    assert told(await seeded.invoice()) == [("UOM_MISMATCH", "1000.00")]
    units = {"units": [{"unit": "XBX", "quantity": "25", "of": "EA"}]}
    path = f"/vendors/{seeded.vendor_id}/items/BOLT-M8/units"
    refused = await post(erp, path, units, by="emma.lind", put=True)
    assert (refused.status_code, refused.json()["code"]) == (403, "NOT_AUTHORISED")
    await posted(erp, path, units, by="grace.hall", put=True)
    now = await seeded.invoice()
    assert (now["status"], now["payable"]) == ("MATCHED", "1000.00")
    assert (await seeded.order())["lines"][0]["accepted"] == "100.000"
    assert (await erp.get(f"/vendors/{seeded.vendor_id}/items"))["items"] == [
        {"vendor_id": seeded.vendor_id, "item": "bolt-m8", "units": [{"unit": "XBX", "quantity": "25.000", "of": "EA"}]}
    ]


async def test_units_that_contradict_each_other_are_refused_by_name(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice()))
    units = [{"unit": "XBX", "quantity": "24", "of": "EA"}, {"unit": "XBX", "quantity": "3", "of": "DZN"}]
    path = f"/vendors/{seeded.vendor_id}/items/BOLT-M8/units"
    refused = await post(erp, path, {"units": units}, by="ines.vogel", put=True)
    assert (refused.status_code, refused.json()["values"]["unit"]) == (400, "XBX")


# orders


async def test_a_revision_changes_what_the_invoice_is_held_against(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=[line(price="10.40")])))
    assert told(await seeded.invoice()) == [("PRICE_VARIANCE", "40.00")]
    order = await revised(erp, seeded, 2, {"price": "10.40"})
    assert (order["revision"], order["lines"][0]["price"]) == (2, "10.40")
    now = await seeded.invoice()
    assert (now["status"], now["version"], now["payable"]) == ("MATCHED", 2, "1040.00")
    cause = events_of(await erp.witness(seeded.vendor_id), "match-exception.resolved")[-1]["cause"]
    assert (cause["kind"], cause["id"]) == ("revision", order["id"])
    found = await erp.get(f"/purchase-orders/{order['number']}/revisions")
    assert [(one["revision"], one["lines"][0]["price"], one["posted_by"]) for one in found["items"]] == [
        (1, "10.00", None), (2, "10.40", "emma.lind"),
    ]  # fmt: skip


async def test_a_revision_that_comes_late_is_kept_and_changes_nothing(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=[line(price="10.40")])))
    await revised(erp, seeded, 3, {"price": "10.40"})
    late = await revised(erp, seeded, 2, {"price": "9.00"})
    assert (late["revision"], late["lines"][0]["price"]) == (3, "10.40")
    assert (await seeded.invoice())["status"] == "MATCHED"
    number = seeded.record("order")["number"]
    body = {"revision": 2, "buyer": "anna.keller", "currency": "USD", "date": "2026-03-06", "lines": late["lines"]}
    body["lines"] = [
        {name: one[name] for name in ("item", "description", "unit", "quantity", "price")} for one in late["lines"]
    ]
    again = await post(erp, f"/purchase-orders/{number}/revisions", body)
    assert (again.status_code, again.json()["code"]) == (409, "ALREADY_EXISTS")


@pytest.mark.parametrize(
    ("change", "says"), [({"unit": "DZN"}, "BOLT-M8 in EA"), ({"item": "NUT"}, "BOLT-M8 in EA"), ({}, "USD")]
)
async def test_a_revision_keeps_the_lines_that_receipts_and_invoices_name(
    erp: RunningErp, change: dict[str, str], says: str
) -> None:
    seeded = await erp.seed(situation(invoice()))
    one = {"item": "BOLT-M8", "description": "Bolt", "unit": "EA", "quantity": "100", "price": "10.00"} | change
    body = {
        "revision": 2,
        "buyer": "anna.keller",
        "currency": "USD" if change else "EUR",
        "date": "2026-03-06",
        "lines": [one],
    }
    refused = await post(erp, f"/purchase-orders/{seeded.record('order')['number']}/revisions", body)
    assert refused.status_code == 400
    assert says in refused.json()["detail"]


async def test_an_order_that_is_posted_late_finds_the_invoice_that_cites_it(erp: RunningErp) -> None:
    number = f"PO-{new_id()[-12:]}"
    seeded = await erp.seed(situation(invoice(po_reference=number)))
    assert seeded.reasons == ["NO_PO"]
    one = {"item": "BOLT-M8", "description": "Bolt", "unit": "EA", "quantity": "100", "price": "10.00"}
    new = {"vendor_id": seeded.vendor_id, "number": number, "buyer": "bruno.costa", "currency": "USD"}
    await posted(erp, "/purchase-orders", new | {"date": "2026-03-01", "lines": [one]})
    assert told(await seeded.invoice()) == [("NO_RECEIPT", "1000.00")]
    again = await post(erp, "/purchase-orders", new | {"date": "2026-03-01", "lines": [one]})
    assert (again.status_code, again.json()["code"]) == (409, "ALREADY_EXISTS")


# credit notes


async def test_a_credit_note_is_booked_and_lowers_what_may_be_paid(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=[line(price="10.40")])))
    before = await seeded.invoice()
    note = await credited(erp, before, "40.00", number="CN-318")
    assert (note["kind"], note["invoice_id"], note["version"]) == ("credit-note", before["id"], 2)
    now = await seeded.invoice()
    assert (now["credits"], now["payable"], now["version"]) == ("40.00", "1000.00", 2)
    # the price is still above the ordered one: a person decides, nothing is netted in silence
    assert told(now) == [("PRICE_VARIANCE", "40.00")]
    found = await erp.get(f"/invoices/{before['id']}/credit-notes")
    assert [(one["id"], one["number"], one["amount"]) for one in found["items"]] == [(note["id"], "CN-318", "40.00")]
    twice = await post(
        erp, "/credit-notes",
        {"invoice_id": before["id"], "number": "cn 0318", "date": "2026-03-22", "currency": "USD", "amount": "40.00"},
    )  # fmt: skip
    assert (twice.status_code, twice.json()["code"]) == (409, "ALREADY_EXISTS")
    paid = await erp.send("approve-variance", now, by="grace.hall", settles=[now["exceptions"][0]["id"]])
    assert (paid.json()["amount"], paid.json()["status"]) == ("1000.00", "APPROVED")


async def test_a_credit_note_wakes_every_held_exception_of_its_invoice(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=[line(price="10.40")], freight="85.00")))
    found = await seeded.invoice()
    held = await erp.send("request-credit-memo", found, by="emma.lind", exception_id=seeded.exception("PRICE_VARIANCE"))
    assert held.status_code == 200
    note = await credited(erp, found, "40.00")
    woken = events_of(await erp.witness(seeded.vendor_id), "match-exception.rechecked")
    assert [(one["exception_id"], one["cause"]["kind"], one["cause"]["id"]) for one in woken] == [
        (seeded.exception("PRICE_VARIANCE"), "credit-note", note["id"])
    ]
    assert (await seeded.invoice())["status"] == "ON_HOLD"


async def test_goods_that_are_credited_are_billed_no_longer(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(), received="60.000"))
    assert told(await seeded.invoice()) == [("QTY_OVER_RECEIPT", "400.00")]
    await credited(erp, await seeded.invoice(), "400.00", lines=[{"line": 1, "quantity": "40"}])
    now = await seeded.invoice()
    assert (now["status"], now["payable"], now["credited"]) == ("MATCHED", "600.00", {"1": "40.000"})
    assert (await seeded.order())["lines"][0]["billed"] == "60.000"


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"amount": "1000.01"}, 422, "INVALID_AMOUNT"),
        ({"currency": "EUR"}, 400, "INVALID_REQUEST"),
        ({"lines": [{"line": 2, "quantity": "1"}]}, 400, "INVALID_REQUEST"),
        ({"lines": [{"line": 1, "quantity": "101"}]}, 400, "INVALID_REQUEST"),
        ({"amount": "0.00"}, 400, "INVALID_REQUEST"),
        ({"amount": "-5.00"}, 400, "INVALID_REQUEST"),
        ({"invoice_id": new_id()}, 404, "NOT_FOUND"),
    ],
)
async def test_a_credit_note_that_does_not_fit_its_invoice_is_refused(
    erp: RunningErp, change: dict[str, Any], status: int, code: str
) -> None:
    seeded = await erp.seed(situation(invoice()))
    body = {"invoice_id": seeded.record("invoice")["id"], "number": "CN-1", "date": "2026-03-22", "currency": "USD"}
    answer = await post(erp, "/credit-notes", body | {"amount": "10.00"} | change)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert (await seeded.invoice())["version"] == 1


async def test_goods_that_are_credited_on_a_paid_invoice_are_free_for_the_next_one(erp: RunningErp) -> None:
    """100 were paid for, 40 came back and were credited, and 40 more came: the next invoice of 40 matches."""
    first = invoice("first", settled="APPROVED")
    second = invoice("second", lines=[line(quantity="40.000")])
    seeded = await erp.seed(situation(first, second))
    held = await seeded.invoice("second")
    assert told(held) == [("QTY_OVER_RECEIPT", "400.00")]
    await erp.send("hold", held, by="emma.lind", exception_id=seeded.exception("QTY_OVER_RECEIPT"))
    paid = await seeded.invoice("first")
    note = await credited(erp, paid, "400.00", lines=[{"line": 1, "quantity": "40"}])
    after = await seeded.invoice("first")
    assert (after["status"], after["approved_amount"], after["credits"]) == ("APPROVED", "1000.00", "400.00")
    assert after["version"] == paid["version"] + 1
    assert (await seeded.order())["lines"][0]["billed"] == "100.000"  # 60 of the first, 40 of the second
    now = await seeded.invoice("second")
    assert (now["status"], now["payable"]) == ("ON_HOLD", "400.00"), "while a hold stands a person decides"
    witness = await erp.witness(seeded.vendor_id)
    (woken,) = events_of(witness, "match-exception.rechecked")
    assert (woken["invoice_id"], woken["cause"]["id"]) == (now["id"], note["id"])
    assert [one["id"] for one in witness["credit_notes"]] == [note["id"]]
    released = await erp.send("release-hold", now, by="grace.hall", exception_id=seeded.exception("QTY_OVER_RECEIPT"))
    assert released.json()["status"] == "MATCHED"


async def test_a_command_that_changes_the_match_wakes_what_is_held(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(po_reference="PO-UNKNOWN"), received=None))
    found = await seeded.invoice()
    await erp.send("hold", found, by="emma.lind", exception_id=seeded.exception("NO_PO"))
    number = seeded.record("order")["number"]
    assigned = await erp.send("assign-po", await seeded.invoice(), by="emma.lind", against_po=number)
    assert assigned.json()["status"] == "ON_HOLD"
    now = await seeded.invoice()
    assert (now["matched_po"], now["po_reference"], open_reasons(now)) == (
        number,
        "PO-UNKNOWN",
        ["NO_PO", "NO_RECEIPT"],
    )
    (woken,) = events_of(await erp.witness(seeded.vendor_id), "match-exception.rechecked")
    assert (woken["exception_id"], woken["cause"]["kind"]) == (seeded.exception("NO_PO"), "command")


# the order of arrival


async def test_the_order_in_which_receipts_revisions_and_credit_notes_arrive_does_not_matter(erp: RunningErp) -> None:
    """Received 60, then 40 of which 10 are rejected, then 20 are sent back; the price is cut; 100.00 are credited."""

    async def came(seeded: Seeded) -> None:
        await goods(erp, seeded, "60")
        await goods(erp, seeded, "40", rejected="10")

    async def sent_back(seeded: Seeded) -> None:
        await reversed_(erp, (await goods(erp, seeded, "20"))["id"])

    async def cut(seeded: Seeded) -> None:
        await revised(erp, seeded, 2, {"price": "9.50"})

    async def credit(seeded: Seeded) -> None:
        await credited(erp, await seeded.invoice(), "100.00")

    seen = set()
    for order in permutations((came, sent_back, cut, credit)):
        seeded = await erp.seed(situation(invoice(), received=None))
        for step in order:
            await step(seeded)
        now = await seeded.invoice()
        seen.add((tuple(sorted(told(now))), now["payable"], now["credits"], now["status"]))
    assert seen == {((("PRICE_VARIANCE", "50.00"), ("QTY_OVER_RECEIPT", "100.00")), "855.00", "100.00", "EXCEPTION")}


# posting


async def test_an_invoice_is_posted_once_per_key(erp: RunningErp) -> None:
    seeded = await erp.seed(situation())
    body = {
        "vendor_id": seeded.vendor_id,
        "number": "RE-1",
        "date": "2026-03-10",
        "currency": "USD",
        "lines": [billed("1")],
    }
    answers = [await post(erp, "/invoices", body, key="post-1-" + seeded.vendor_id) for _ in range(3)]
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    other = await post(erp, "/invoices", body | {"number": "RE-2"}, key="post-1-" + seeded.vendor_id)
    assert (other.status_code, other.json()["code"]) == (422, "IDEMPOTENCY_KEY_REUSED")
    assert len((await erp.get(f"/vendors/{seeded.vendor_id}/invoices"))["items"]) == 1


async def test_only_a_person_with_the_duty_posts_documents(erp: RunningErp) -> None:
    seeded = await erp.seed(situation())
    body = {
        "vendor_id": seeded.vendor_id,
        "number": "RE-1",
        "date": "2026-03-10",
        "currency": "USD",
        "lines": [billed("1")],
    }
    for by in ("desk", "anna.keller", "kira.stone"):
        answer = await post(erp, "/invoices", body, by=by)
        assert (answer.status_code, answer.json()["code"]) == (403, "NOT_AUTHORISED")
    assert (await erp.get(f"/vendors/{seeded.vendor_id}/invoices"))["items"] == []


async def test_an_invoice_that_is_posted_is_told_with_its_exceptions(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(received="60.000"))
    found = await bill(erp, seeded)
    assert (found["status"], open_reasons(found), found["payable"]) == ("EXCEPTION", ["QTY_OVER_RECEIPT"], "600.00")
    witness = await erp.witness(seeded.vendor_id)
    assert [one["type"].removeprefix("deskworld.erp.") for one in witness["outbox"]] == [
        "match-exception.raised", "invoice.changed",
    ]  # fmt: skip
    assert events_of(witness, "match-exception.raised")[0]["cause"] == {
        "kind": "invoice", "id": found["id"], "decision_id": None,
    }  # fmt: skip


async def test_an_invoice_that_takes_back_more_than_it_bills_is_no_invoice(erp: RunningErp) -> None:
    seeded = await erp.seed(situation())
    body = {
        "vendor_id": seeded.vendor_id,
        "number": "RE-1",
        "date": "2026-03-10",
        "currency": "USD",
        "lines": [billed("-1")],
    }
    answer = await post(erp, "/invoices", body)
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")
    assert "credit note" in answer.json()["detail"]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE invoices SET number = 'x'",
        "UPDATE invoices SET lines = '[]'",
        "UPDATE invoices SET stated_total = 1",
        "UPDATE receipts SET lines = '[]'",
        "UPDATE order_revisions SET buyer = 'x'",
        "UPDATE credit_notes SET amount = 1",
        "UPDATE source_documents SET content = ''",
    ],
)
async def test_nobody_changes_what_was_sent(erp: RunningErp, statement: str) -> None:
    for user in ("erp_service", "postgres"):
        connection = await connect(host=str(erp.home), user=user, database=erp.database_name)
        try:
            with pytest.raises(RaiseError, match="what was sent is never changed"):
                await connection.execute(statement)
        finally:
            await connection.close()


# vendors


async def test_a_contact_that_changed_is_trusted_from_today_on(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=[line(price="10.40")])))
    before = await erp.get(f"/vendors/{seeded.vendor_id}")
    kept = {name: before["contacts"][0][name] for name in ("name", "phone", "mail")}
    new = {"name": "Muster AG", "terms": "net 30", "contacts": [kept, kept | {"phone": "+41 44 111 11 11"}]}
    now = await posted(
        erp, f"/vendors/{seeded.vendor_id}",
        new | {"identifiers": [{"scheme": "VAT", "value": f"CHE-{seeded.vendor_id[-6:]}"}]}, by="grace.hall", put=True,
    )  # fmt: skip
    assert now["contacts"][0]["trusted_since"] == "2024-01-01"
    assert now["contacts"][1]["trusted_since"] > "2026-01-01"
    assert now["bank_accounts"] == before["bank_accounts"]
    refused = await post(erp, f"/vendors/{seeded.vendor_id}", new, by="emma.lind", put=True)
    assert refused.json()["code"] == "NOT_AUTHORISED"


async def test_a_vendor_that_is_made_has_no_account_until_one_is_verified(erp: RunningErp) -> None:
    vendor_id = new_id()
    new = {"name": "Neu AG", "terms": "net 30", "contacts": []}
    made = await posted(erp, f"/vendors/{vendor_id}", new, by="ines.vogel", put=True)
    assert (made["id"], made["bank_accounts"], made["identifiers"]) == (vendor_id, [], [])


async def test_the_tolerances_are_shown_with_their_digest(erp: RunningErp) -> None:
    shown = await erp.get("/tolerances")
    assert (shown["price"]["percent"], shown["price"]["amount"]["USD"], shown["quantity"]) == ("2", "50.00", "0")
    assert shown["digest"] == erp.erp.tolerances_digest
