"""What holds of the match whatever comes in."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from itertools import permutations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.support.erp_match import DAY, SHIPPED, D, inputs, line, match, ordered, other

from deskworld_erp.invoicing.rules.amounts import cents
from deskworld_erp.invoicing.rules.lines import counted
from deskworld_erp.invoicing.rules.units import convert
from deskworld_erp.invoicing.rules.values import Inputs, InvoiceLine, Order, OrderLine, OtherInvoice

quantities = st.decimals(min_value=D("0.001"), max_value=D(10**12), places=3, allow_nan=False, allow_infinity=False)
any_quantity = st.decimals(min_value=D(-(10**12)), max_value=D(10**12), places=3, allow_nan=False)
prices = st.decimals(min_value=D(0), max_value=D(10**12), places=4, allow_nan=False, allow_infinity=False)
amounts = st.decimals(min_value=D(0), max_value=D(10**12), places=2, allow_nan=False, allow_infinity=False)
units = st.sampled_from(["EA", "DZN", "KGM", "GRM", "XYZ"])
currencies = st.sampled_from(["USD", "EUR", "XXX"])
texts = st.text(max_size=12)
WHOLE = {"DUPLICATE", "POSSIBLE_DUPLICATE", "NO_PO", "VENDOR_BANK_CHANGED", "CURRENCY_MISMATCH", "UOM_MISMATCH"}
"""At issue is a total, which is negative when more is taken back than billed."""


@st.composite
def orders(draw: Any) -> Order:
    lines = [
        OrderLine(no, draw(st.sampled_from(["A", "B"])), draw(units), draw(quantities), draw(prices))
        for no in range(1, draw(st.integers(1, 4)) + 1)
    ]
    return Order("PO-1", draw(currencies), tuple(lines))


@st.composite
def anything(draw: Any) -> Inputs:
    order = draw(st.none() | orders())
    lines = tuple(
        InvoiceLine(
            no=no,
            po_line=draw(st.none() | st.integers(1, 5)),
            item=draw(st.sampled_from(["A", "B", ""])),
            unit=draw(units),
            quantity=draw(any_quantity),
            price=draw(prices),
            stated_net=draw(st.none() | amounts),
        )
        for no in range(1, draw(st.integers(0, 5)) + 1)
    )
    others = tuple(
        OtherInvoice(
            id=f"o{sequence}",
            sequence=sequence,
            number=draw(texts),
            order_number=draw(st.sampled_from([None, "PO-1"])),
            date=DAY + timedelta(days=draw(st.integers(-9, 9))),
            currency=draw(currencies),
            total=draw(amounts),
            rejected=draw(st.booleans()),
            under_duplicate=draw(st.booleans()),
            counts={1: draw(quantities)},
        )
        for sequence in range(draw(st.integers(0, 3)))
    )
    plain = inputs(
        line(), order=order, accepted={no: str(draw(any_quantity)) for no in range(1, 5)}, others=others,
        bank=draw(st.booleans()),
    )  # fmt: skip
    document = replace(
        plain.invoice, number=draw(texts), lines=lines, tax=draw(amounts), freight=draw(amounts),
        stated_total=draw(amounts), credits=draw(amounts), currency=draw(currencies), sequence=2,
    )  # fmt: skip
    return replace(plain, invoice=document)


@given(anything())
def test_no_input_raises_and_payable_stays_within_the_document(given_inputs: Inputs) -> None:
    outcome = match(given_inputs)
    reasons = [one.reason for one in outcome.findings]
    assert len(reasons) == len(set(reasons))
    seen = (*outcome.findings, *outcome.masked)
    assert all(one.amount >= 0 for one in seen if one.reason not in WHOLE)
    assert 0 <= outcome.payable <= max(D(0), given_inputs.invoice.stated_total - given_inputs.invoice.credits)
    assert bool(outcome.masked) <= (outcome.ended_by in reasons)
    assert match(given_inputs) == outcome


@given(anything())
def test_payable_is_never_more_than_ordered_at_the_ordered_price_and_accepted(given_inputs: Inputs) -> None:
    """Before tax. Each line may be rounded up by half a cent."""
    untaxed = replace(given_inputs, invoice=replace(given_inputs.invoice, tax=D(0)))
    most = sum(
        (
            max(D(0), min(untaxed.accepted.get(one.no, D(0)), one.quantity)) * one.price
            for one in (untaxed.order.lines if untaxed.order else ())
        ),
        D(0),
    )
    slack = D("0.005") * len(untaxed.invoice.lines)
    assert match(untaxed).payable <= cents(most + slack)


@given(st.lists(st.decimals(min_value=D(-50), max_value=D(80), places=3), min_size=1, max_size=4), prices)
def test_the_order_in_which_receipts_arrive_does_not_change_the_result(arrived: list[Decimal], price: Decimal) -> None:
    outcomes = {
        repr(match(replace(inputs(line(price=price)), accepted=counted((1, one) for one in some))))
        for some in permutations(arrived)
    }
    assert len(outcomes) == 1


@given(st.permutations([other(1, counts={1: D(10)}), other(2, counts={1: D(20)}), other(3, rejected=True)]))
def test_the_order_in_which_other_invoices_are_listed_does_not_matter(others: list[OtherInvoice]) -> None:
    assert match(inputs(line(quantity=D(70)), others=tuple(others))).findings == ()


@given(st.integers(1, 999), st.sampled_from(["EA", "DZN", "GRO", "CEN"]), st.sampled_from(["EA", "DZN", "GRO", "CEN"]))
def test_equal_physical_quantities_in_different_units_match(count: int, billed: str, ordered_in: str) -> None:
    pieces = D(count) * 144 * 100
    there = convert(pieces, "EA", ordered_in)
    here = convert(pieces, "EA", billed)
    assert here is not None
    assert there is not None
    per_piece = D("14.40")  # ordered and billed price say the same per piece
    order = Order("PO-1", "USD", (ordered(unit=ordered_in, quantity=there, price=per_piece * pieces / there),))
    outcome = match(
        inputs(line(unit=billed, quantity=here, price=per_piece * pieces / here), order=order, accepted={1: str(there)})
    )
    assert outcome.findings == ()
    assert outcome.payable == cents(per_piece * pieces)


@given(st.decimals(min_value=D("10.01"), max_value=D(20), places=2))
def test_with_no_tolerance_every_cent_above_is_an_exception(price: Decimal) -> None:
    strict = replace(SHIPPED, price_percent=D(0), price_amount={})
    assert [str(one.reason) for one in match(inputs(line(price=price), tolerances=strict)).findings] == [
        "PRICE_VARIANCE"
    ]
