"""Cases that other systems got wrong, with their figures: units, receipts, returns, rounding, currency, tolerances.

The numbers M-… are those of docs/guides/erp-practice.md.
"""

from dataclasses import replace
from decimal import Decimal
from itertools import product
from pathlib import Path

import pytest
import yaml
from tests.support.erp_match import SHIPPED, D, found, inputs, line, match, only, ordered, other
from tests.unit.test_erp_tolerances import SHIPPED as FILE
from tests.unit.test_erp_tolerances import written

from deskworld_erp.invoicing.rules.credits import CreditNote, credited
from deskworld_erp.invoicing.rules.payable import order_payable
from deskworld_erp.invoicing.rules.receipts import ReceivedLine, received
from deskworld_erp.invoicing.rules.units import Pack
from deskworld_erp.invoicing.rules.values import Inputs, Order, Sums, TaxPart
from deskworld_erp.invoicing.tolerances import TolerancesInvalid, load_tolerances

PACKS = (Pack("XBX", D(10), "EA"), Pack("PK", D(6), "EA"))
HOLDS = {"EA": D(1), "DZN": D(12), "XBX": D(10), "PK": D(6)}


def at_hand(order: Order, *lines: ReceivedLine) -> dict[str, object]:
    came = received(order, lines)
    return {"accepted": came.accepted, "returned": came.returned, "unreadable": came.unreadable}


def with_receipts(document: Inputs, *lines: ReceivedLine) -> Inputs:
    assert document.order is not None
    return replace(document, **at_hand(document.order, *lines))  # type: ignore[arg-type]


# M-04


@pytest.mark.parametrize(("order_unit", "receipt_unit", "invoice_unit"), list(product(HOLDS, repeat=3)))
def test_m04_the_same_goods_match_whatever_units_they_are_counted_in(
    order_unit: str, receipt_unit: str, invoice_unit: str
) -> None:
    """60 pieces: 5 dozen, 6 boxes of 10, 10 packs of 6."""
    count = {unit: D(60) / held for unit, held in HOLDS.items()}
    price = {unit: D("1.20") * held for unit, held in HOLDS.items()}
    one = ordered(unit=order_unit, quantity=count[order_unit], price=price[order_unit], packs=PACKS)
    order = Order("PO-1", "USD", (one,))
    document = inputs(
        line(unit=invoice_unit, quantity=count[invoice_unit], price=price[invoice_unit]), order=order, accepted={}
    )
    outcome = match(with_receipts(document, ReceivedLine(1, receipt_unit, count[receipt_unit])))
    assert (found(outcome), outcome.payable) == ([], D("72.00"))


@pytest.mark.parametrize(
    ("order_unit", "quantity", "billed_unit", "billed", "reason"),
    [
        ("DZN", "1", "EA", "12", None),  # a dozen, received as 12 pieces: nothing is still to come
        ("XBX", "1", "XBX", "10", "QTY_OVER_RECEIPT"),  # one box, billed as ten of them
        ("MTR", "4", "KMT", "4", "QTY_OVER_RECEIPT"),  # four metres, billed as four kilometres
        ("EA", "18", "PK", "3", None),  # three packs of six
        ("EA", "12", "XYZ", "12", "UOM_MISMATCH"),  # never one to one
    ],
)
def test_m04_quantities_of_different_units_are_never_subtracted(
    order_unit: str, quantity: str, billed_unit: str, billed: str, reason: str | None
) -> None:
    one = ordered(unit=order_unit, quantity=D(quantity), price=D("1.00"), packs=PACKS)
    order = Order("PO-1", "USD", (one,))
    document = inputs(line(unit=billed_unit, quantity=D(billed), price=D("0.01")), order=order, accepted={1: quantity})
    assert [why for why, _ in found(match(document))] == ([] if reason is None else [reason])


# M-05


def test_m05_what_was_rejected_is_not_payable() -> None:
    """100 came, 20 were rejected, 100 are billed at 14.50."""
    order = Order("PO-1", "USD", (ordered(price=D("14.50")),))
    document = inputs(line(price=D("14.50")), order=order, accepted={1: "80"})
    assert found(match(document)) == [("QTY_OVER_RECEIPT", "290.00")]
    assert match(document).payable == D("1160.00")
    nothing = match(replace(document, accepted={1: D(0)}))
    assert found(nothing) == [("NO_RECEIPT", "1450.00")]
    assert nothing.payable == 0


# M-06


def test_m06_a_receipt_is_used_up_once() -> None:
    """Ordered 10; 5 billed on the first receipt, 5 on the second; one more finds nothing left."""
    order = Order("PO-1", "USD", (ordered(quantity=D(10)),))
    first = match(inputs(line(quantity=D(5)), order=order, accepted={1: "5"}))
    assert (found(first), first.payable) == ([], D("50.00"))
    earlier = (other(1, counts=first.counts),)
    second = match(inputs(line(quantity=D(5)), order=order, accepted={1: "10"}, others=earlier))
    assert (found(second), second.payable) == ([], D("50.00"))
    third = inputs(
        line(quantity=D(1)), order=order, accepted={1: "10"}, others=(*earlier, other(2, counts=second.counts))
    )
    assert found(match(third)) == [("QTY_OVER_RECEIPT", "10.00")]
    assert match(third).payable == 0


# M-07


def test_m07_a_line_that_takes_goods_back_is_held_against_the_return() -> None:
    """+10 and -1 at 33.06: with one sent back it passes, without it the second line alone is at issue."""
    order = Order("PO-1", "USD", (ordered(quantity=D(10), price=D("33.06")),))
    lines = (
        line(1, price=D("33.06"), quantity=D(10)),
        line(2, po_line=1, item="ITEM-1", price=D("33.06"), quantity=D(-1)),
    )
    document = inputs(*lines, order=order, accepted={})
    came = [ReceivedLine(1, "EA", D(9)), ReceivedLine(1, "EA", D(1))]
    sent_back = match(with_receipts(document, *came, ReceivedLine(1, "EA", D(-1))))
    assert (found(sent_back), sent_back.payable) == ([], D("297.54"))
    kept = match(with_receipts(document, *came))
    assert (found(kept), only(kept).lines) == ([("NO_RECEIPT", "33.06")], (2,))


def test_m07_goods_are_never_taken_back_for_less_than_they_cost() -> None:
    """+10 at 10.00 and -10 at 1.00 leave nothing bought, and nothing to pay."""
    lines = (line(1, quantity=D(10)), line(2, po_line=1, item="ITEM-1", quantity=D(-10), price=D("1.00")))
    outcome = match(inputs(*lines, order=Order("PO-1", "USD", (ordered(),)), accepted={1: "10"}))
    assert outcome.payable == 0
    assert ("PRICE_VARIANCE", "90.00") in found(outcome)


# M-08


def test_m08_zero_is_a_limit_and_a_missing_or_negative_one_is_refused(tmp_path: Path) -> None:
    content = yaml.safe_load(yaml.safe_dump(FILE))
    content["price"] = {"percent": "0", "amount": {"USD": "0.00"}}
    strict = load_tolerances(written(tmp_path, content)).values
    assert found(match(inputs(line(quantity=D(1), price=D("10.01")), tolerances=strict))) == [
        ("PRICE_VARIANCE", "0.01")
    ]
    content["price"] = {"amount": {"USD": "50.00"}}
    with pytest.raises(TolerancesInvalid, match=r"price\.percent"):
        load_tolerances(written(tmp_path, content))
    content["price"] = {"percent": "-1", "amount": {}}
    with pytest.raises(TolerancesInvalid, match="zero"):
        load_tolerances(written(tmp_path, content))


# M-09, M-10


def test_m09_equal_amounts_in_the_documents_currency_match_whatever_they_are_worth_at_home() -> None:
    """4,720.63 USD on both sides, booked at 1.0920 and 1.0826: no rate is looked at, so there is no cent to lose."""
    order = Order("PO-1", "USD", (ordered(quantity=D(1), price=D("4720.63")),))
    outcome = match(inputs(line(quantity=D(1), price=D("4720.63")), order=order))
    assert (found(outcome), outcome.payable) == ([], D("4720.63"))


def test_m10_equal_digits_in_another_currency_do_not_match() -> None:
    order = Order("PO-1", "USD", (ordered(quantity=D(1), price=D("8400.00")),))
    outcome = match(inputs(line(quantity=D(1), price=D("8400.00")), order=order, currency="EUR"))
    finding = only(outcome)
    assert (finding.reason, finding.amount, outcome.payable) == ("CURRENCY_MISMATCH", D("8400.00"), 0)
    assert "EUR" in finding.summary
    assert "USD" in finding.summary


# M-13


def long_price(net: str) -> Inputs:
    """278,362.5 at 0.01110515964 comes to 3,091.26; the document carries 0.011105 alone, at which it is 3,091.22."""
    order = Order("PO-1", "USD", (ordered(quantity=D("278362.5"), price=D("0.01110515964")),))
    one = line(quantity=D("278362.5"), price=D("0.011105"), stated_net=D(net))
    return inputs(one, order=order, accepted={1: "278362.5"}, stated=net)


def test_m13_a_price_that_lost_its_digits_is_noted_and_no_exception() -> None:
    outcome = match(long_price("3091.26"))
    assert (found(outcome), outcome.payable) == ([], D("3091.26"))
    assert [(note.identity, note.line, note.difference) for note in outcome.notes] == [("PEPPOL-R120", 1, D("0.04"))]


def test_m13_the_same_document_a_whole_unit_off_is_an_exception() -> None:
    assert found(match(long_price("3092.26"))) == [("DOCUMENT_ARITHMETIC", "1.04")]


@pytest.mark.parametrize(("stated", "reason"), [("93.55", None), ("94.54", "DOCUMENT_ARITHMETIC")])
def test_m13_a_stray_cent_on_a_document_with_an_exempt_line_is_noted(stated: str, reason: str | None) -> None:
    """90.30 at 0 %, 0.45 x 2.54 and 0.28 x 6.87 at 6 %: by rounded lines 93.54, by unrounded ones 93.55."""
    goods = [("1", "90.30"), ("0.45", "2.54"), ("0.28", "6.87")]
    lines = [line(no, quantity=D(much), price=D(price)) for no, (much, price) in enumerate(goods, start=1)]
    order = Order(
        "PO-1", "USD", tuple(ordered(no, quantity=one.quantity, price=one.price) for no, one in enumerate(lines, 1))
    )
    taxes = (TaxPart("E", None, D("90.30"), D("0.00")), TaxPart("S", D(6), D("3.06"), D("0.18")))
    accepted = {no: str(one.quantity) for no, one in enumerate(lines, start=1)}
    outcome = match(inputs(*lines, order=order, accepted=accepted, tax="0.18", stated=stated, taxes=taxes))
    assert [why for why, _ in found(outcome)] == ([] if reason is None else [reason])
    if reason is None:
        assert [(note.identity, note.difference) for note in outcome.notes] == [("TOTAL", D("0.01"))]


# M-14


def test_m14_vat_by_line_and_vat_by_category_are_both_lawful() -> None:
    """3 x 99.99 at 25 %: 75.00 by line, 74.99 by category."""
    order = Order("PO-1", "USD", (ordered(quantity=D(3), price=D("99.99")),))
    for vat, total in (("75.00", "374.97"), ("74.99", "374.96")):
        one = line(quantity=D(3), price=D("99.99"), stated_net=D("299.97"))
        taxes = (TaxPart("S", D(25), D("299.97"), D(vat)),)
        sums = Sums(lines=D("299.97"), net=D("299.97"), gross=D(total))
        document = inputs(one, order=order, accepted={1: "3"}, tax=vat, stated=total, taxes=taxes, sums=sums)
        outcome = match(document)
        assert (found(outcome), outcome.payable) == ([], D(total))


def test_m14_what_is_due_is_what_the_document_says_is_due() -> None:
    """21.23 and VAT 4.25 are 25.48; the vendor rounds by -0.01 (BT-114), and 25.47 is due (BT-115)."""
    order = Order("PO-1", "USD", (ordered(quantity=D(1), price=D("21.23")),))
    outcome = match(
        inputs(line(quantity=D(1), price=D("21.23")), order=order, accepted={1: "1"}, tax="4.25", stated="25.47",
               rounding=D("-0.01"), sums=Sums(lines=D("21.23"), net=D("21.23"), gross=D("25.48")))
    )  # fmt: skip
    assert (found(outcome), outcome.payable, outcome.notes) == ([], D("25.47"), ())


# M-15


def fuel(net: str) -> Inputs:
    """157.94 litres at a shown price of 1.03; ordered at 1.03463."""
    order = Order("PO-1", "USD", (ordered(unit="LTR", quantity=D("157.94"), price=D("1.03463")),))
    one = line(unit="LTR", quantity=D("157.94"), price=D("1.03"), stated_net=D(net))
    return inputs(one, order=order, accepted={1: "157.94"}, stated=net)


def test_m15_a_gap_that_the_rounding_of_the_price_explains_is_a_note() -> None:
    outcome = match(fuel("163.41"))
    assert (found(outcome), outcome.payable) == ([], D("163.41"))
    assert [(note.identity, note.difference) for note in outcome.notes] == [("PEPPOL-R120", D("0.73"))]
    strict = replace(SHIPPED, price_percent=D(0), price_amount={"USD": D(0)})
    assert found(match(replace(fuel("163.41"), tolerances=strict))) == []


def test_m15_a_gap_beyond_that_bound_is_an_exception() -> None:
    assert found(match(fuel("165.00"))) == [("DOCUMENT_ARITHMETIC", "2.32")]


# M-20, M-21


def test_m20_posted_reversed_and_posted_again_counts_once() -> None:
    order = Order("PO-1", "USD", (ordered(),))
    lines = [ReceivedLine(1, "EA", D(much)) for much in (100, -100, 100)]
    outcome = match(with_receipts(inputs(order=order, accepted={}), *lines))
    assert (found(outcome), outcome.counts) == ([], {1: D(100)})
    assert order_payable(order, received(order, lines).accepted, outcome.counts) == 0


def test_m20_a_return_and_its_credit_leave_nothing() -> None:
    """10 received and billed, 5 returned and credited."""
    document = inputs(line(quantity=D(10)), accepted={})
    note = CreditNote(D("50.00"), {1: D(5)})
    document = replace(document, invoice=credited(document.invoice, [note]))
    outcome = match(with_receipts(document, ReceivedLine(1, "EA", D(10)), ReceivedLine(1, "EA", D(-5))))
    assert (found(outcome), outcome.payable, outcome.counts) == ([], D("50.00"), {1: D(5)})


def test_m21_the_share_that_is_billed_is_of_what_was_kept() -> None:
    """300 received, 200 billed in two invoices, 100 returned and credited: 100 of 200 are billed, and 100 may be."""
    order = Order("PO-1", "USD", (ordered(quantity=D(300)),))
    came = received(order, [ReceivedLine(1, "EA", D(300)), ReceivedLine(1, "EA", D(-100))])
    first = match(replace(inputs(line(), order=order), accepted=came.accepted))
    second = inputs(line(), order=order, others=(other(1, counts=first.counts),))
    second = replace(second, accepted=came.accepted)
    second = replace(second, invoice=credited(second.invoice, [CreditNote(D("1000.00"), {1: D(100)})]))
    billed = {1: first.counts[1] + match(second).counts.get(1, Decimal(0))}
    assert (came.accepted, billed) == ({1: D(200)}, {1: D(100)})
    assert order_payable(order, came.accepted, billed) == D("1000.00")


# M-25


def test_m25_a_dispute_about_a_part_leaves_the_rest_payable() -> None:
    """2,000.00 billed, 300.00 of it above the ordered price: 1,700.00 may be paid meanwhile."""
    order = Order("PO-1", "USD", (ordered(price=D("17.00")),))
    outcome = match(inputs(line(price=D("20.00")), order=order))
    assert (found(outcome), outcome.payable) == ([("PRICE_VARIANCE", "300.00")], D("1700.00"))
