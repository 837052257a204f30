"""What the playbook does in a case of each reason, seen at the agent door."""

from typing import Any

import pytest
from tests.support import agent as desk
from tests.support.agent import CASE, INVOICE, ORDER, VENDOR, Json, turn
from tests.support.analyst import REASONS, like, moves, over, proposal, without_order, worked

PAYS = {"approve-variance", "short-pay"}


# A price above the order's ----------------------------------------------------------------------------------------


async def test_a_small_variance_is_approved_and_cites_what_was_read() -> None:
    office = await worked(turn(), of=over("10.20"))
    assert proposal(office)["action"] == "approve-variance"
    assert proposal(office)["settles"] == [CASE]
    assert set(proposal(office)["citations"]) == {INVOICE, ORDER, "0190-receipt-1"}


async def test_a_variance_of_a_few_percent_is_asked_of_the_buyer_first() -> None:
    office = await worked(turn(), turn(desk.answered("Yes, I knew."), number=2), of=over("10.40"))
    assert moves(office) == ["ask_buyer", "approve-variance"]
    assert "10.4" in office.made("ask_buyer")[0]["question"]


async def test_a_buyer_who_did_not_agree_leads_to_a_credit_memo() -> None:
    office = await worked(turn(), turn(desk.answered("That is not what was agreed."), number=2), of=over("10.40"))
    assert moves(office) == ["ask_buyer", "request-credit-memo"]


async def test_a_large_variance_goes_back_to_the_vendor() -> None:
    office = await worked(turn(), of=over("11.60"))
    assert moves(office) == ["request-credit-memo"]


@pytest.mark.parametrize(
    ("reason", "action", "amount"),
    [
        (None, "request-credit-memo", None),
        ("RETURN_GOODS", "request-credit-memo", None),
        ("PAY_PO_PRICE", "short-pay", "1000.00"),
    ],
)
async def test_a_declined_price_goes_on_as_the_reason_says(reason: str | None, action: str, amount: str | None) -> None:
    told = desk.decided("declined", "approve-variance", words="I do not want that.", reason=reason)
    office = await worked(turn(told, declined=[desk.declined("approve-variance", "I do not want that.", reason)]))
    assert (proposal(office)["action"], proposal(office).get("amount")) == (action, amount)


async def test_when_the_credit_memo_is_declined_too_what_the_order_covers_is_paid() -> None:
    both = [desk.declined("approve-variance", "no"), desk.declined("request-credit-memo", "no")]
    office = await worked(turn(desk.decided("declined", "request-credit-memo"), declined=both))
    assert (proposal(office)["action"], proposal(office)["amount"]) == ("short-pay", "1000.00")


async def test_when_everything_was_declined_a_person_takes_over() -> None:
    all_of_them = [desk.declined(action) for action in ("approve-variance", "request-credit-memo", "short-pay", "hold")]
    office = await worked(turn(desk.decided("declined", "hold"), declined=all_of_them))
    assert moves(office) == []
    assert office.made("note_case")


async def test_the_vendors_credit_settles_a_held_variance() -> None:
    held = desk.invoice(exceptions=[desk.exception("PRICE_VARIANCE", held=True)], credits="40.00")
    office = await worked(turn(desk.rechecked("credit-note", "PRICE_VARIANCE"), held=True), of=held)
    assert moves(office) == ["approve-variance"]


async def test_a_variance_with_other_exceptions_open_is_held() -> None:
    both = desk.invoice(exceptions=[desk.exception("PRICE_VARIANCE"), desk.exception("NO_RECEIPT", named="x-2")])
    office = await worked(turn(), of=both)
    assert moves(office) == ["hold"]


# Goods that did not come -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", ["QTY_OVER_RECEIPT", "NO_RECEIPT"])
async def test_missing_goods_hold_the_invoice(reason: str) -> None:
    received = [] if reason == "NO_RECEIPT" else [desk.receipt(accepted="60.000")]
    office = await worked(turn(reason=reason), of=desk.invoice(reason=reason, payable="600.00"), receipts=received)
    assert moves(office) == ["hold"]
    assert {INVOICE, ORDER} <= set(proposal(office)["citations"])


async def test_an_invoice_is_approved_when_the_rest_of_the_goods_came() -> None:
    there = desk.invoice(
        exceptions=[desk.exception("QTY_OVER_RECEIPT", held=True)], payable="1040.00", status="ON_HOLD"
    )
    office = await worked(
        turn(desk.rechecked("receipt"), reason="QTY_OVER_RECEIPT", held=True),
        of=there,
        receipts=[desk.receipt(1, accepted="60.000"), desk.receipt(2, accepted="40.000")],
    )
    assert moves(office) == ["approve-variance"]
    assert {"0190-receipt-1", "0190-receipt-2"} <= set(proposal(office)["citations"])


async def test_a_hold_is_kept_while_goods_are_missing_still() -> None:
    still = desk.invoice(exceptions=[desk.exception("QTY_OVER_RECEIPT", held=True)], payable="800.00", status="ON_HOLD")
    office = await worked(turn(desk.rechecked("receipt"), reason="QTY_OVER_RECEIPT", held=True), of=still)
    assert moves(office) == ["keep_hold"]


async def test_a_declined_hold_pays_what_came() -> None:
    part = desk.invoice(reason="QTY_OVER_RECEIPT", payable="600.00")
    office = await worked(
        turn(desk.decided("declined", "hold"), reason="QTY_OVER_RECEIPT", declined=[desk.declined("hold")]), of=part
    )
    assert (proposal(office)["action"], proposal(office)["amount"]) == ("short-pay", "600.00")


# The same invoice again --------------------------------------------------------------------------------------------


async def test_a_duplicate_is_rejected_and_cites_the_original() -> None:
    office = await worked(
        turn(reason="DUPLICATE"), of=desk.invoice(reason="DUPLICATE", payable="0.00"), similar=[like()]
    )
    assert moves(office) == ["reject"]
    assert "0190-original" in proposal(office)["citations"]


@pytest.mark.parametrize("found", [[], [like(status="REJECTED")], [like(why="near-number")]])
async def test_a_duplicate_without_its_original_is_held(found: list[Json]) -> None:
    office = await worked(turn(reason="DUPLICATE"), of=desk.invoice(reason="DUPLICATE"), similar=found)
    assert moves(office) == ["hold"]


async def test_a_duplicate_is_rejected_though_the_vendor_cannot_be_read() -> None:
    office = await worked(
        turn(reason="DUPLICATE"),
        of=desk.invoice(reason="DUPLICATE"),
        similar=[like()],
        tools={"get_vendor": desk.fail()},
    )
    assert moves(office) == ["reject"]


def twice(accepted: list[Json], **changes: Any) -> dict[str, Any]:
    second = desk.invoice(reason="POSSIBLE_DUPLICATE", payable="0.00", **changes)
    first = desk.invoice(
        id="0190-first", sequence=1, status="APPROVED", exceptions=[], ids=["0190-first", "V-0", "invoice-2"]
    )
    return {"of": second, "history": [first, second], "receipts": accepted, "similar": [like("same-order-and-total")]}


async def test_two_deliveries_pay_two_invoices_and_each_receipt_is_cited() -> None:
    office = await worked(turn(reason="POSSIBLE_DUPLICATE"), **twice([desk.receipt(1), desk.receipt(2)]))
    assert moves(office) == ["approve-variance"]
    assert {"0190-receipt-1", "0190-receipt-2"} <= set(proposal(office)["citations"])


async def test_one_delivery_pays_one_invoice() -> None:
    office = await worked(turn(reason="POSSIBLE_DUPLICATE"), **twice([desk.receipt(1)]))
    assert moves(office) == ["reject"]


async def test_a_delivery_that_was_reversed_does_not_count() -> None:
    reversed_again = [desk.receipt(1), desk.receipt(2), desk.receipt(3, accepted="-100.000")]
    office = await worked(turn(reason="POSSIBLE_DUPLICATE"), **twice(reversed_again))
    assert moves(office) == ["reject"]


async def test_part_of_a_second_delivery_is_held() -> None:
    office = await worked(
        turn(reason="POSSIBLE_DUPLICATE"), **twice([desk.receipt(1), desk.receipt(2, accepted="40.000")])
    )
    assert moves(office) == ["hold"]


async def test_a_finding_behind_a_possible_duplicate_is_held() -> None:
    masked = [desk.exception("POSSIBLE_DUPLICATE", masked=("m-1",))]
    office = await worked(
        turn(reason="POSSIBLE_DUPLICATE"), **twice([desk.receipt(1), desk.receipt(2)], exceptions=masked)
    )
    assert moves(office) == ["hold"]


# No order ----------------------------------------------------------------------------------------------------------


async def test_without_an_order_the_vendor_is_asked_first_and_a_denial_holds() -> None:
    told = turn(desk.replied("DENIES"), reason="NO_PO", number=2)
    office = await worked(turn(reason="NO_PO"), told, of=without_order())
    assert moves(office) == ["email_vendor", "hold"]
    assert INVOICE in proposal(office)["citations"]


async def test_a_named_order_is_paid_when_erp_and_buyer_agree() -> None:
    office = await worked(
        turn(reason="NO_PO"),
        turn(desk.replied("GIVES_PO_NUMBER", po_number="PO-4711"), reason="NO_PO", number=2),
        turn(desk.answered("Yes, that one is mine."), reason="NO_PO", number=3),
        of=without_order(),
    )
    assert moves(office) == ["email_vendor", "ask_buyer", "approve-variance"]
    assert office.made("ask_buyer")[0]["po_number"] == "PO-4711"
    assert proposal(office)["against_po"] == "PO-4711"
    assert ORDER in proposal(office)["citations"]


async def test_a_named_order_whose_buyer_says_no_is_held() -> None:
    office = await worked(
        turn(reason="NO_PO"),
        turn(desk.replied("GIVES_PO_NUMBER", po_number="PO-4711"), reason="NO_PO", number=2),
        turn(desk.answered("That does not belong to it."), reason="NO_PO", number=3),
        of=without_order(),
    )
    assert moves(office) == ["email_vendor", "ask_buyer", "hold"]


@pytest.mark.parametrize(
    "records",
    [
        {"order": None},
        {"order": desk.order(payable="900.00")},
        {"order": desk.order(currency="EUR")},
        {"order": desk.order(desk.order_line(item="GADGET"))},
        {"receipts": []},
    ],
    ids=["unknown", "does not cover", "another currency", "something else", "nothing came"],
)
async def test_a_named_order_that_does_not_fit_is_held_without_asking_its_buyer(records: dict[str, Any]) -> None:
    told = turn(desk.replied("GIVES_PO_NUMBER", po_number="PO-4711"), reason="NO_PO", number=2)
    office = await worked(turn(reason="NO_PO"), told, of=without_order(), **records)
    assert moves(office) == ["email_vendor", "hold"]


async def test_an_agent_that_has_forgotten_which_order_was_asked_about_holds() -> None:
    office = await worked(turn(desk.answered("Yes."), reason="NO_PO"), of=without_order())
    assert not PAYS & set(moves(office))


# A charge, a bank account, another item ------------------------------------------------------------------------------


async def test_a_charge_that_nobody_ordered_is_left_out_of_the_payment() -> None:
    office = await worked(turn(reason="UNPLANNED_CHARGE"), of=desk.invoice(reason="UNPLANNED_CHARGE", freight="40.00"))
    assert (proposal(office)["action"], proposal(office)["amount"]) == ("short-pay", "1000.00")


@pytest.mark.parametrize("reason", [reason for reason in REASONS if reason != "DUPLICATE"])
async def test_while_a_bank_change_is_unverified_every_case_is_held_and_no_letter_goes_out(reason: str) -> None:
    changing = desk.vendor(status="PENDING_VERIFICATION", change="0190-change")
    office = await worked(turn(reason=reason), of=desk.invoice(reason=reason), vendor=changing)
    assert moves(office) == ["hold"]
    assert {VENDOR, "0190-change"} <= set(proposal(office)["citations"])


async def test_an_item_that_was_substituted_is_explained_by_the_vendor_and_decided_by_the_buyer() -> None:
    told = desk.replied(
        "SUBSTITUTED_ITEM", substitution_reason="OUT_OF_STOCK", shipped_item="WIDGET-S", stated_price="11.20"
    )
    office = await worked(
        turn(reason="ITEM_SUBSTITUTED"), turn(told, reason="ITEM_SUBSTITUTED", number=2), of=substituted()
    )
    assert moves(office) == ["email_vendor", "approve-variance"]


def substituted(**changes: Any) -> Json:
    return desk.invoice(desk.line(item="WIDGET-S", price="11.20"), reason="ITEM_SUBSTITUTED", **changes)


async def test_an_unclear_answer_is_asked_about_once_more_and_then_the_buyer_is() -> None:
    unclear = desk.replied("UNCLEAR")
    office = await worked(
        turn(reason="ITEM_SUBSTITUTED"),
        turn(unclear, reason="ITEM_SUBSTITUTED", number=2),
        turn(unclear, reason="ITEM_SUBSTITUTED", number=3),
        turn(desk.answered("Fine by me."), reason="ITEM_SUBSTITUTED", number=4),
        of=substituted(),
    )
    assert moves(office) == ["email_vendor", "email_vendor", "ask_buyer", "approve-variance"]
    first, second = office.made("email_vendor")
    assert first != second


async def test_after_the_rules_got_an_unclear_answer_the_agent_asks_again() -> None:
    told = [desk.stopped("ITEM_SUBSTITUTED", "reply"), desk.replied("UNCLEAR")]
    office = await worked(turn(*told, reason="ITEM_SUBSTITUTED"), of=substituted())
    assert moves(office) == ["email_vendor"]


async def test_what_was_answered_before_the_rules_met_an_outage_is_not_asked_again() -> None:
    told = desk.stopped("ITEM_SUBSTITUTED", "failed", substitution_reason="OUT_OF_STOCK", stated_price="11.20")
    office = await worked(turn(told, reason="ITEM_SUBSTITUTED"), of=substituted())
    assert moves(office) == ["approve-variance"]


@pytest.mark.parametrize(
    ("reading", "action"),
    [({"stated_price": "10.50"}, "request-credit-memo"), ({"shipped_item": "SOMETHING-ELSE"}, "hold")],
)
async def test_an_answer_that_contradicts_the_invoice_is_not_approved(reading: Json, action: str) -> None:
    told = desk.replied("SUBSTITUTED_ITEM", **{"substitution_reason": "UPGRADE", **reading})
    office = await worked(turn(told, reason="ITEM_SUBSTITUTED"), of=substituted())
    assert moves(office) == [action]


@pytest.mark.parametrize(
    ("words", "reason", "action"),
    [
        ("no", "PAY_PO_PRICE", "short-pay"),
        ("no", "RETURN_GOODS", "request-credit-memo"),
        ("We keep them at the order's price.", None, "short-pay"),
        ("Send them back.", None, "request-credit-memo"),
        ("I do not like these.", None, "short-pay"),
    ],
)
async def test_a_declined_substitute_goes_on_as_its_buyer_wants(words: str, reason: str | None, action: str) -> None:
    told = desk.decided("declined", "approve-variance", words=words, reason=reason)
    given = turn(told, reason="ITEM_SUBSTITUTED", declined=[desk.declined("approve-variance", words, reason)])
    office = await worked(given, of=substituted())
    assert moves(office) == [action]


# A document that cannot be right -------------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", ["CURRENCY_MISMATCH", "UOM_MISMATCH"])
async def test_the_vendor_is_asked_about_a_document_that_does_not_fit_and_it_waits_for_another(reason: str) -> None:
    told = turn(desk.replied("OTHER", offers=["CORRECTED_INVOICE"]), reason=reason, number=2)
    office = await worked(turn(reason=reason), told, of=desk.invoice(reason=reason, payable="0.00"))
    assert moves(office) == ["email_vendor", "hold"]


async def test_a_document_that_does_not_add_up_pays_what_it_supports() -> None:
    office = await worked(turn(reason="DOCUMENT_ARITHMETIC"), of=desk.invoice(reason="DOCUMENT_ARITHMETIC"))
    assert (proposal(office)["action"], proposal(office)["amount"]) == ("short-pay", "1000.00")
