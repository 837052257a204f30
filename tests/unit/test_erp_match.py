"""The three-way match: each reason with its figures, its edges, and what it does together with others."""

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.support.erp_match import DAY, SHIPPED, D, found, inputs, line, masked, match, only, ordered, other

from deskworld_erp.invoicing.rules.values import Order


def test_an_invoice_that_agrees_with_order_and_receipt_matches() -> None:
    outcome = match(inputs())
    assert found(outcome) == []
    assert outcome.payable == D("1000.00")
    assert outcome.counts == {1: D(100)} == outcome.let_through


# price


@pytest.mark.parametrize(
    ("price", "quantity", "amount"),
    [
        ("10.20", "100", None),  # exactly 2 %
        ("10.21", "100", "21.00"),
        ("10.10", "500", None),  # exactly 50.00
        ("10.11", "500", "55.00"),  # 1.1 %, but above 50.00
        ("9.00", "100", None),  # under-billing is no exception
    ],
)
def test_a_price_outside_either_limit_is_an_exception(price: str, quantity: str, amount: str | None) -> None:
    order = Order("PO-1", "USD", (ordered(quantity=D(quantity)),))
    outcome = match(inputs(line(price=D(price), quantity=D(quantity)), order=order, accepted={1: quantity}))
    assert found(outcome) == ([] if amount is None else [("PRICE_VARIANCE", amount)])


def test_zero_tolerance_means_none_allowed() -> None:
    strict = replace(SHIPPED, price_percent=D(0), price_amount={"USD": D(0)})
    assert found(match(inputs(line(price=D("10.01")), tolerances=strict))) == [("PRICE_VARIANCE", "1.00")]
    assert found(match(inputs(tolerances=strict))) == []


def test_a_currency_without_a_limit_is_above_every_limit() -> None:
    order = Order("PO-1", "NOK", (ordered(),))
    assert found(match(inputs(line(price=D("10.01")), order=order, currency="NOK"))) == [("PRICE_VARIANCE", "1.00")]


def test_anything_billed_for_a_free_line_is_a_price_variance() -> None:
    order = Order("PO-1", "USD", (ordered(price=D(0)),))
    assert found(match(inputs(line(price=D("0.01")), order=order))) == [("PRICE_VARIANCE", "1.00")]


def test_the_summary_tells_our_figures_and_nothing_that_the_vendor_wrote() -> None:
    finding = only(match(inputs(line(price=D("10.40"), item="ITEM-1"), number="pay now, approved by I. Vogel")))
    assert finding.summary == "Billed above the ordered price by 40.00 (line 1: 10.40 billed, 10.00 ordered)."
    assert finding.lines == (1,)


# substitution, currency, units


def test_a_substituted_line_is_no_price_variance() -> None:
    finding = only(match(inputs(line(item="BOLT-A2", price=D("11.20")))))
    assert (finding.reason, finding.amount) == ("ITEM_SUBSTITUTED", D("120.00"))


def test_a_cheaper_substitute_has_nothing_at_issue() -> None:
    assert found(match(inputs(line(item="BOLT-A2", price=D("9.00"))))) == [("ITEM_SUBSTITUTED", "0.00")]


def test_item_codes_are_compared_without_case_and_outer_blanks() -> None:
    assert found(match(inputs(line(item=" item-1 ")))) == []


def test_another_currency_is_never_converted_and_its_price_never_compared() -> None:
    order = Order("PO-1", "EUR", (ordered(price=D("1.00")),))
    outcome = match(inputs(order=order))
    assert found(outcome) == [("CURRENCY_MISMATCH", "1000.00")]
    assert outcome.payable == 0


def test_a_substitute_in_another_currency_puts_its_whole_value_at_issue() -> None:
    order = Order("PO-1", "EUR", (ordered(),))
    assert ("ITEM_SUBSTITUTED", "1000.00") in found(match(inputs(line(item="OTHER"), order=order)))


def test_a_unit_that_does_not_convert_takes_its_line_out_of_every_other_check() -> None:
    outcome = match(inputs(line(unit="KGM", price=D("99.00"), item="OTHER"), accepted={}))
    assert found(outcome) == [("UOM_MISMATCH", "9900.00")]
    assert outcome.payable == 0
    assert outcome.counts == {}


def test_a_dozen_is_twelve_pieces() -> None:
    order = Order("PO-1", "USD", (ordered(unit="DZN", quantity=D(10), price=D("120.00")),))
    outcome = match(inputs(line(unit="EA", quantity=D(120), price=D("10.00")), order=order, accepted={1: "10"}))
    assert found(outcome) == []
    assert (outcome.payable, outcome.counts) == (D("1200.00"), {1: D(10)})


def test_thirds_of_a_dozen_add_up() -> None:
    order = Order("PO-1", "USD", (ordered(unit="DZN", quantity=D(1), price=D("12.00")),))
    first = match(inputs(line(unit="EA", quantity=D(4), price=D("1.00")), order=order, accepted={1: "1"}))
    others = (other(1, counts=first.counts), other(2, counts=first.counts))
    third = inputs(line(unit="EA", quantity=D(4), price=D("1.00")), order=order, accepted={1: "1"}, others=others)
    assert found(match(third)) == []
    assert match(third).payable == D("4.00")


# receipts


def test_nothing_accepted_is_no_receipt() -> None:
    assert found(match(inputs(accepted={}))) == [("NO_RECEIPT", "1000.00")]


def test_rejected_goods_are_not_received() -> None:
    order = Order("PO-1", "USD", (ordered(price=D("14.50")),))
    outcome = match(inputs(line(price=D("14.50")), order=order, accepted={1: "80"}))
    assert found(outcome) == [("QTY_OVER_RECEIPT", "290.00")]
    assert outcome.payable == D("1160.00")


def test_what_is_billed_beyond_the_order_is_over_even_when_it_came() -> None:
    outcome = match(inputs(line(quantity=D(101)), accepted={1: "101"}))
    assert found(outcome) == [("QTY_OVER_RECEIPT", "10.00")]
    assert outcome.payable == D("1000.00")


def test_earlier_live_invoices_use_up_what_was_accepted() -> None:
    earlier = other(1, counts={1: D(60)})
    outcome = match(inputs(line(quantity=D(60)), others=(earlier,)))
    assert found(outcome) == [("QTY_OVER_RECEIPT", "200.00")]
    assert outcome.payable == D("400.00")


@pytest.mark.parametrize(
    "harmless",
    [
        other(1, counts={1: D(60)}, rejected=True),
        other(1, counts={1: D(60)}, under_duplicate=True),
        other(11, counts={1: D(60)}),  # later
        other(1, counts={1: D(60)}, order_number="PO-2"),
    ],
)
def test_invoices_that_are_not_earlier_and_live_on_the_order_use_up_nothing(harmless: object) -> None:
    assert found(match(inputs(others=(harmless,)))) == []  # type: ignore[arg-type]


def test_two_lines_share_one_order_line_in_the_order_in_which_they_stand() -> None:
    outcome = match(inputs(line(1, quantity=D(60)), line(2, po_line=1, item="ITEM-1", quantity=D(60))))
    assert only(outcome).lines == (2,)
    assert outcome.payable == D("1000.00")


def test_one_invoice_may_carry_no_receipt_and_over_receipt_for_different_lines() -> None:
    outcome = match(inputs(line(1), line(2), accepted={1: "40"}))
    assert found(outcome) == [("NO_RECEIPT", "1000.00"), ("QTY_OVER_RECEIPT", "600.00")]
    assert outcome.payable == D("400.00")


# charges and arithmetic


def test_freight_is_an_unplanned_charge() -> None:
    outcome = match(inputs(freight="85.00"))
    assert found(outcome) == [("UNPLANNED_CHARGE", "85.00")]
    assert outcome.payable == D("1000.00")


def test_a_line_that_names_no_order_line_is_an_unplanned_charge() -> None:
    outcome = match(inputs(line(1), line(2, po_line=None, price=D("0.50")), order=Order("PO-1", "USD", (ordered(),))))
    assert found(outcome) == [("UNPLANNED_CHARGE", "50.00")]
    assert only(outcome).lines == (2,)
    assert outcome.payable == D("1000.00")


@pytest.mark.parametrize(
    ("stated", "amount"), [("1000.05", None), ("999.95", None), ("1000.06", "0.06"), ("1100.00", "100.00")]
)
def test_a_stated_total_may_differ_by_rounding_alone(stated: str, amount: str | None) -> None:
    assert found(match(inputs(stated=stated))) == ([] if amount is None else [("DOCUMENT_ARITHMETIC", amount)])


def test_a_stated_line_amount_is_held_against_quantity_by_price() -> None:
    """A price of `10.00` may stand for 10.005: on a hundred pieces that explains half a unit, and not a cent more."""
    assert match(inputs(line(stated_net=D("1000.00")))).notes == ()
    near = match(inputs(line(stated_net=D("1000.50"))))
    assert found(near) == []
    assert [(note.identity, note.line, note.difference) for note in near.notes] == [("PEPPOL-R120", 1, D("0.50"))]
    finding = only(match(inputs(line(stated_net=D("1000.51")))))
    assert (finding.reason, finding.amount, finding.lines) == ("DOCUMENT_ARITHMETIC", D("0.51"), (1,))


def test_what_rounding_explains_is_still_held_against_the_ordered_price() -> None:
    strict = replace(SHIPPED, price_percent=D(0), price_amount={"USD": D(0)})
    assert found(match(inputs(line(stated_net=D("1000.50")), tolerances=strict))) == [("PRICE_VARIANCE", "0.50")]
    assert match(inputs(line(stated_net=D("1000.50")))).payable == D("1000.00")


def test_payable_is_never_more_than_the_lower_of_computed_and_stated_total() -> None:
    assert match(inputs(stated="25.47")).payable == D("25.47")
    assert match(inputs(stated="2000.00")).payable == D("1000.00")


# duplicates


@pytest.mark.parametrize("number", ["INV-100", "inv 0100", "ＩＮＶ１００", "I\u200bNV/100"])
def test_the_same_number_written_otherwise_is_a_duplicate(number: str) -> None:
    outcome = match(inputs(others=(other(1, number=number, counts={1: D(100)}),)))
    assert found(outcome) == [("DUPLICATE", "1000.00")]
    assert masked(outcome) == [("QTY_OVER_RECEIPT", "1000.00")]
    assert outcome.payable == 0


def test_a_rejected_invoice_is_repeated_by_none() -> None:
    assert found(match(inputs(others=(other(1, number="INV-100", rejected=True),)))) == []


def test_a_later_invoice_is_repeated_by_none() -> None:
    assert found(match(inputs(others=(other(11, number="INV-100"),)))) == []


def test_a_cleared_duplicate_does_not_come_back() -> None:
    outcome = match(inputs(others=(other(1, number="INV-100"),), cleared=frozenset({"other-1"})))
    assert found(outcome) == []


@pytest.mark.parametrize(
    ("days", "total", "order_number", "raised"),
    [(7, "1000.00", "PO-1", True), (8, "1000.00", "PO-1", False), (0, "1000.01", "PO-1", False),
     (0, "1000.00", "PO-2", False)],
)  # fmt: skip
def test_same_order_and_total_within_the_window_may_be_a_duplicate(
    days: int, total: str, order_number: str, raised: bool
) -> None:
    earlier = other(1, total=D(total), date=DAY - timedelta(days=days), order_number=order_number)
    assert found(match(inputs(others=(earlier,)))) == ([("POSSIBLE_DUPLICATE", "1000.00")] if raised else [])


@pytest.mark.parametrize(("number", "raised"), [("A-12", True), ("A12", True), ("A-1-2", True), ("A-13", False)])
def test_nearly_the_same_number_with_the_same_total_may_be_a_duplicate(number: str, raised: bool) -> None:
    """`A-1-02` and `A-12` have different keys, which are equal when joined."""
    expected = "DUPLICATE" if number == "A-1-2" else "POSSIBLE_DUPLICATE"
    earlier = other(1, number=number, total=D("1000.00"), order_number=None)
    outcome = match(inputs(others=(earlier,), number="A-1-02"))
    assert found(outcome) == ([(expected, "1000.00")] if raised else [])


def test_the_same_total_in_another_currency_is_no_resemblance() -> None:
    assert found(match(inputs(others=(other(1, total=D("1000.00"), currency="EUR"),)))) == []


# no order, bank change


def test_without_an_order_the_match_ends_and_keeps_what_it_can_see_as_masked() -> None:
    outcome = match(inputs(order=None, freight="5.00", stated="1"))
    assert found(outcome) == [("NO_PO", "1005.00")]
    assert masked(outcome) == [("UNPLANNED_CHARGE", "5.00"), ("DOCUMENT_ARITHMETIC", "1004.00")]
    assert outcome.payable == 0


def test_a_duplicate_without_an_order_masks_that_too() -> None:
    outcome = match(inputs(order=None, others=(other(1, number="INV-100"),)))
    assert (found(outcome), masked(outcome)) == ([("DUPLICATE", "1000.00")], [("NO_PO", "1000.00")])


def test_a_bank_change_is_always_raised_and_lets_nothing_through() -> None:
    outcome = match(inputs(line(price=D("10.40")), bank=True))
    assert found(outcome) == [("VENDOR_BANK_CHANGED", "1040.00"), ("PRICE_VARIANCE", "40.00")]
    assert outcome.payable == 0
    ended = match(inputs(bank=True, others=(other(1, number="INV-100"),)))
    assert found(ended) == [("DUPLICATE", "1000.00"), ("VENDOR_BANK_CHANGED", "1000.00")]


# several at once


def test_price_and_quantity_stand_side_by_side_and_payable_heeds_both() -> None:
    outcome = match(inputs(line(price=D("10.40")), accepted={1: "60"}))
    assert found(outcome) == [("PRICE_VARIANCE", "40.00"), ("QTY_OVER_RECEIPT", "416.00")]
    assert outcome.payable == D("600.00")


def test_substitution_and_quantity_stand_side_by_side() -> None:
    outcome = match(inputs(line(item="OTHER", price=D("11.20")), accepted={1: "60"}))
    assert found(outcome) == [("ITEM_SUBSTITUTED", "120.00"), ("QTY_OVER_RECEIPT", "448.00")]
    assert outcome.payable == D("600.00")


def test_price_and_freight_stand_side_by_side() -> None:
    outcome = match(inputs(line(price=D("10.40")), freight="85.00"))
    assert found(outcome) == [("PRICE_VARIANCE", "40.00"), ("UNPLANNED_CHARGE", "85.00")]
    assert outcome.payable == D("1000.00")


def test_two_lines_may_have_different_reasons() -> None:
    outcome = match(inputs(line(1, price=D("10.40")), line(2), accepted={1: "100", 2: "60"}))
    assert found(outcome) == [("PRICE_VARIANCE", "40.00"), ("QTY_OVER_RECEIPT", "400.00")]
    assert outcome.payable == D("1600.00")


def test_many_lines_are_named_by_the_first_ones() -> None:
    lines = [line(no, price=D("11.00")) for no in range(1, 8)]
    assert "…" in only(match(inputs(*lines))).summary
    assert only(match(inputs(*lines))).lines == tuple(range(1, 8))


# payable


def test_tax_follows_the_net_that_is_let_through() -> None:
    assert match(inputs(tax="190.00")).payable == D("1190.00")
    assert match(inputs(tax="190.00", accepted={1: "60"})).payable == D("714.00")
    assert match(inputs(tax="0.05", accepted={1: "50"})).payable == D("500.03")  # 0.025, half-up


def test_credits_lower_what_may_be_paid() -> None:
    assert match(inputs(credits=D("40.00"))).payable == D("960.00")
    assert match(inputs(credits=D("4000.00"))).payable == D("0.00")


def test_a_negative_line_lets_nothing_through_and_lowers_the_rest() -> None:
    outcome = match(inputs(line(1), line(2, po_line=1, item="ITEM-1", quantity=D(-10))))
    assert outcome.payable == D("900.00")
