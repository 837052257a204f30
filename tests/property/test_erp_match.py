"""What holds of the match whatever comes in."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.support.erp_match import DAY, SHIPPED, D, inputs, line, match, ordered, other

from deskworld_erp.invoicing.rules.amounts import cents
from deskworld_erp.invoicing.rules.credits import CreditNote, credited
from deskworld_erp.invoicing.rules.receipts import ReceivedLine, received
from deskworld_erp.invoicing.rules.revisions import Revision, current
from deskworld_erp.invoicing.rules.units import Pack, contradicts, convert
from deskworld_erp.invoicing.rules.values import (
    Inputs,
    InvoiceLine,
    Order,
    OrderLine,
    OtherInvoice,
    Outcome,
    Sums,
    TaxPart,
)

quantities = st.decimals(min_value=D("0.001"), max_value=D(10**12), places=3, allow_nan=False, allow_infinity=False)
any_quantity = st.decimals(min_value=D(-(10**12)), max_value=D(10**12), places=3, allow_nan=False)
prices = st.decimals(min_value=D(0), max_value=D(10**12), places=4, allow_nan=False, allow_infinity=False)
amounts = st.decimals(min_value=D(0), max_value=D(10**12), places=2, allow_nan=False, allow_infinity=False)
units = st.sampled_from(["EA", "DZN", "KGM", "GRM", "XBX", "XYZ"])
bases = st.sampled_from([D(1), D(100), D("0.5")])
packs = st.sampled_from([(), (Pack("XBX", D(7), "EA"),), (Pack("XBX", D(24), "EA"), Pack("XYZ", D(3), "XBX"))])
signed = st.decimals(min_value=D(-(10**9)), max_value=D(10**9), places=2, allow_nan=False)
currencies = st.sampled_from(["USD", "EUR", "XXX"])
texts = st.text(max_size=12)
WHOLE = {"DUPLICATE", "POSSIBLE_DUPLICATE", "NO_PO", "VENDOR_BANK_CHANGED", "CURRENCY_MISMATCH", "UOM_MISMATCH"}
"""At issue is a total, which is negative when more is taken back than billed."""


@st.composite
def orders(draw: Any) -> Order:
    lines = [
        OrderLine(
            no, draw(st.sampled_from(["A", "B"])), draw(units), draw(quantities), draw(prices), draw(bases), draw(packs)
        )
        for no in range(1, draw(st.integers(1, 4)) + 1)
    ]
    return Order("PO-1", draw(currencies), tuple(lines))


@st.composite
def sums(draw: Any) -> Sums:
    stated = {name: draw(st.none() | signed) for name in ("lines", "allowances", "charges", "net", "gross")}
    return Sums(**stated)


@st.composite
def tax_parts(draw: Any) -> TaxPart:
    return TaxPart(draw(st.sampled_from(["S", "E"])), draw(st.none() | amounts), draw(signed), draw(signed))


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
            base=draw(bases),
            adjustment=draw(st.just(D(0)) | signed),
            credited=draw(st.just(D(0)) | quantities),
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
        allowance=draw(st.just(D(0)) | amounts), rounding=draw(st.just(D(0)) | signed),
        prepaid=draw(st.just(D(0)) | amounts),
        sums=draw(sums()), taxes=tuple(draw(st.lists(tax_parts(), max_size=2))),
    )  # fmt: skip
    returned = {no: draw(quantities) for no in draw(st.sets(st.integers(1, 4)))}
    unreadable = frozenset(draw(st.sets(st.integers(1, 4), max_size=1)))
    return replace(plain, invoice=document, returned=returned, unreadable=unreadable)


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
            max(D(0), min(untaxed.accepted.get(one.no, D(0)), one.quantity)) * one.price / one.base
            for one in (untaxed.order.lines if untaxed.order else ())
        ),
        D(0),
    )
    slack = D("0.005") * len(untaxed.invoice.lines)
    assert match(untaxed).payable <= cents(most + slack)


receipts = st.lists(
    st.builds(
        ReceivedLine,
        po_line=st.integers(1, 2),
        unit=st.sampled_from(["EA", "DZN", "XBX"]),
        accepted=st.decimals(min_value=D(-50), max_value=D(80), places=3),
    ),
    max_size=5,
)
revisions = st.lists(st.tuples(st.decimals(min_value=D(1), max_value=D(200), places=3), prices), min_size=1, max_size=3)
notes = st.lists(
    st.builds(
        CreditNote,
        amount=st.decimals(min_value=D("0.01"), max_value=D(500), places=2),
        quantities=st.dictionaries(st.integers(1, 2), st.decimals(min_value=D(0), max_value=D(30), places=3)),
    ),
    max_size=3,
)


@given(receipts, revisions, notes, st.randoms(use_true_random=False))
def test_the_order_in_which_receipts_revisions_and_credit_notes_arrive_does_not_change_the_result(
    came: list[ReceivedLine], revised: list[tuple[Decimal, Decimal]], noted: list[CreditNote], random: Random
) -> None:
    document = inputs(line(1), line(2), accepted={})
    known = [
        Revision(number, Order("PO-1", "USD", tuple(_revised(no, much, price) for no in (1, 2))))
        for number, (much, price) in enumerate(revised, start=1)
    ]

    def outcome() -> Outcome:
        order = current(known).order
        at_hand = received(order, came)
        return match(
            replace(
                document,
                order=order,
                invoice=credited(document.invoice, noted),
                accepted=at_hand.accepted,
                returned=at_hand.returned,
                unreadable=at_hand.unreadable,
            )
        )

    first = outcome()
    for _ in range(4):
        for documents in (came, known, noted):
            random.shuffle(documents)  # type: ignore[arg-type]
        assert outcome() == first


def _revised(no: int, quantity: Decimal, price: Decimal) -> OrderLine:
    return ordered(no, quantity=quantity, price=price, packs=(Pack("XBX", D(10), "EA"),))


@given(st.permutations([other(1, counts={1: D(10)}), other(2, counts={1: D(20)}), other(3, rejected=True)]))
def test_the_order_in_which_other_invoices_are_listed_does_not_matter(others: list[OtherInvoice]) -> None:
    assert match(inputs(line(quantity=D(70)), others=tuple(others))).findings == ()


PIECES = ("EA", "DZN", "GRO", "CEN", "XBX", "PK")
OWN = (Pack("XBX", D(10), "EA"), Pack("PK", D(7), "XBX"))


@given(
    st.integers(1, 999),
    st.sampled_from(PIECES),
    st.sampled_from(PIECES),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=3),
    st.integers(1, 7),
)
def test_equal_physical_quantities_in_different_units_match(
    count: int, billed: str, ordered_in: str, received_in: list[str], parts: int
) -> None:
    """Received in several units, and billed by several invoices of the same size: none of them is over."""
    pieces = D(count) * 144 * 100 * 7 * 3 * 5
    into = {unit: converted(pieces, unit) for unit in PIECES}
    per_piece = D("14.40")  # ordered and billed price say the same per piece
    one = ordered(unit=ordered_in, quantity=into[ordered_in], price=per_piece * pieces / into[ordered_in], packs=OWN)
    order = Order("PO-1", "USD", (one,))
    at_hand = received(order, [ReceivedLine(1, unit, into[unit] / len(received_in)) for unit in received_in])
    part = line(unit=billed, quantity=into[billed] / parts, price=per_piece * pieces / into[billed])
    others: tuple[OtherInvoice, ...] = ()
    for number in range(1, parts + 1):
        outcome = match(replace(inputs(part, order=order, others=others), accepted=at_hand.accepted))
        assert outcome.findings == ()
        assert outcome.payable == cents(per_piece * pieces / parts)
        others = (*others, other(number, counts=outcome.counts))


def converted(pieces: Decimal, unit: str) -> Decimal:
    found = convert(pieces, "EA", unit, OWN)
    assert found is not None
    return found


@given(
    st.decimals(min_value=D("0.001"), max_value=D(10**6), places=3),
    st.sampled_from(PIECES),
    st.sampled_from(PIECES),
    st.permutations(OWN),
)
def test_a_conversion_there_and_back_is_the_quantity(
    quantity: Decimal, unit: str, into: str, known: list[Pack]
) -> None:
    there = convert(quantity, unit, into, tuple(known))
    assert there is not None
    back = convert(there, into, unit, tuple(known))
    assert back is not None
    assert abs(back - quantity) < D("1e-40")
    assert contradicts(tuple(known)) is None


@given(st.decimals(min_value=D("10.01"), max_value=D(20), places=2))
def test_with_no_tolerance_every_cent_above_is_an_exception(price: Decimal) -> None:
    strict = replace(SHIPPED, price_percent=D(0), price_amount={})
    assert [str(one.reason) for one in match(inputs(line(price=price), tolerances=strict)).findings] == [
        "PRICE_VARIANCE"
    ]
