"""The five situations of the first light through the ERP's doors: what is raised, and the right command's record."""

from typing import Any

from tests.support.erp import BANK_CHANGE, RunningErp, invoice, line, situation


async def test_a_small_price_variance_is_approved_by_the_buyer(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=[line(price="10.40")])))
    assert [(one["reason"], one["amount"]) for one in seeded.answer["exceptions"]] == [("PRICE_VARIANCE", "40.00")]
    found = await seeded.invoice()
    assert (found["status"], found["version"], found["payable"]) == ("EXCEPTION", 1, "1000.00")

    answer = await erp.send("approve-variance", found, by="anna.keller", key="d-1", decision_id="d-1",
                            settles=[seeded.exception("PRICE_VARIANCE")])  # fmt: skip

    assert answer.status_code == 200, answer.text
    assert answer.json() == {
        "invoice_id": found["id"],
        "action": "approve-variance",
        "status": "APPROVED",
        "version": 2,
        "amount": "1040.00",
        "settled": [seeded.exception("PRICE_VARIANCE")],
        "hold_id": None,
        "decision_id": "d-1",
        "key": "d-1",
    }
    witness = await erp.witness(seeded.vendor_id)
    assert [one["approved_amount"] for one in witness["invoices"]] == ["1040.00"]
    assert [(one["key"], one["outcome"], one["by"]["username"]) for one in witness["commands"]] == [
        ("d-1", "applied", "anna.keller")
    ]
    last = witness["audit"][-1]
    assert (last["action"], last["user"]["sub"], last["decision_id"]) == ("approve-variance", "sub-anna.keller", "d-1")
    answered = {name: answer.json()[name] for name in ("key", "status", "version", "amount", "settled", "hold_id")}
    assert answered.items() <= last["detail"].items()
    assert witness["chain"] == {"ok": True, "broken": None}
    assert [event["type"].removeprefix("deskworld.erp.") for event in witness["outbox"]] == [
        "match-exception.raised",
        "match-exception.resolved",
        "invoice.changed",
    ]
    events = await erp.desk.until(seeded.vendor_id, 3)
    assert [event["id"] for event in events] == [event["id"] for event in witness["outbox"]]
    assert events[1]["data"]["cause"] == {"kind": "command", "id": "d-1", "decision_id": "d-1"}


async def test_a_duplicate_is_rejected_by_the_manager_and_cannot_be_paid(erp: RunningErp) -> None:
    first = invoice("original", number="RE-2026/0042", settled="APPROVED")
    seeded = await erp.seed(situation(first, invoice("second", number="re 2026 42", date="2026-03-12")))
    assert seeded.reasons == ["DUPLICATE"]
    found = await seeded.invoice("second")
    assert found["payable"] == "0.00"
    # below the duplicate the quantity is used up: kept as a masked finding
    assert [one["reason"] for one in found["exceptions"][0]["masked"]] == ["QTY_OVER_RECEIPT"]
    similar = await erp.get(f"/invoices/{found['id']}/similar")
    assert [(one["invoice"]["id"], one["why"]) for one in similar["items"]] == [
        (seeded.record("original")["id"], "same-number-key")
    ]
    assert seeded.record("original")["id"] in similar["ids"]

    paid = await erp.send("approve-variance", found, by="ines.vogel", settles=[seeded.exception("DUPLICATE")])
    assert (paid.status_code, paid.json()["code"]) == (422, "DUPLICATE_OPEN")
    rejected = await erp.send("reject", found, by="grace.hall")
    assert rejected.json()["status"] == "REJECTED"
    assert rejected.json()["settled"] == [seeded.exception("DUPLICATE")]


async def test_an_invoice_without_an_order_is_held_by_the_clerk(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(po_reference="PO-UNKNOWN")))
    assert seeded.reasons == ["NO_PO"]
    found = await seeded.invoice()
    assert (found["matched_po"], found["payable"], found["exceptions"][0]["masked"]) == (None, "0.00", [])

    held = await erp.send("hold", found, by="emma.lind", exception_id=seeded.exception("NO_PO"), comment="no order")

    assert held.json()["status"] == "ON_HOLD"
    after = await seeded.invoice()
    hold = after["exceptions"][0]["holds"][0]
    assert (hold["id"], hold["why"], hold["by"]) == (held.json()["hold_id"], "no order", "emma.lind")
    assert (hold["until"], hold["released_at"]) == (None, None)


async def test_nothing_pays_while_a_bank_change_is_unverified(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(), bank_changes=[BANK_CHANGE]))
    assert seeded.reasons == ["VENDOR_BANK_CHANGED"]
    found = await seeded.invoice()
    vendor = await erp.get(f"/vendors/{seeded.vendor_id}")
    account = vendor["bank_accounts"][1]
    assert (account["status"], account["change"]["status"]) == ("PENDING_VERIFICATION", "PROPOSED")
    assert seeded.record("change")["forms"] == [account["change"]["id"], account["id"]]
    assert {account["id"], account["change"]["id"], seeded.vendor_id} <= set(vendor["ids"])

    exception = seeded.exception("VENDOR_BANK_CHANGED")
    paid = await erp.send("approve-variance", found, by="ines.vogel", settles=[exception])
    assert (paid.status_code, paid.json()["code"]) == (422, "BANK_CHANGE_UNVERIFIED")
    held = await erp.send("hold", found, by="emma.lind", exception_id=exception)
    assert held.json()["status"] == "ON_HOLD"


async def test_when_the_buyer_denies_a_credit_memo_is_requested(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=[line(price="10.40")])))
    found = await seeded.invoice()
    exception = seeded.exception("PRICE_VARIANCE")

    asked = await erp.send("request-credit-memo", found, by="emma.lind", exception_id=exception)

    assert asked.json()["status"] == "ON_HOLD"
    held = await seeded.invoice()
    assert held["exceptions"][0]["holds"][0]["why"] == "credit memo"
    short: Any = await erp.send("short-pay", held, by="grace.hall", amount="1000.00")
    assert (short.json()["status"], short.json()["amount"]) == ("APPROVED", "1000.00")
