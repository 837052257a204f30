"""What could be paid against an order, and what an invoice takes of one that it does not bill."""

from dataclasses import replace

import pytest
from tests.support.erp_match import D, inputs, line, ordered

from deskworld_erp.invoicing.rules.allocation import taken
from deskworld_erp.invoicing.rules.payable import order_payable
from deskworld_erp.invoicing.rules.values import Order

ORDER = Order("PO-1", "USD", (ordered(1), ordered(2, price=D("5.00"))))


@pytest.mark.parametrize(
    ("accepted", "billed", "payable"),
    [
        ({1: "100", 2: "100"}, {}, "1500.00"),
        ({1: "100", 2: "100"}, {1: "100"}, "500.00"),
        ({1: "60"}, {1: "40"}, "200.00"),
        ({1: "60"}, {1: "80"}, "0.00"),
        ({1: "150"}, {}, "1000.00"),
        ({}, {}, "0.00"),
    ],
)
def test_an_order_lets_be_paid_what_is_accepted_and_not_billed(
    accepted: dict[int, str], billed: dict[int, str], payable: str
) -> None:
    amounts = ({no: D(one) for no, one in some.items()} for some in (accepted, billed))
    assert order_payable(ORDER, *amounts) == D(payable)


def test_lines_that_bill_the_order_take_what_they_bill() -> None:
    assert taken(inputs(line(1, quantity=D(40)), order=ORDER), D("400.00")) == {1: D(40)}


def test_lines_that_name_none_take_what_their_value_buys_first_line_first() -> None:
    document = inputs(line(1, po_line=None, quantity=D(1), price=D("1200.00")), order=ORDER)
    assert taken(document, D("1200.00")) == {1: D(100), 2: D(40)}
    assert taken(document, D("300.00")) == {1: D(30)}


def test_what_is_used_up_or_free_is_not_taken() -> None:
    free = Order("PO-1", "USD", (ordered(1, price=D(0)), ordered(2)))
    document = inputs(line(1, po_line=None, price=D("9.00")), order=free, accepted={1: "100", 2: "10"})
    assert taken(document, D("900.00")) == {2: D(10)}


def test_without_an_order_nothing_is_taken() -> None:
    assert taken(replace(inputs(), order=None), D("1000.00")) == {}
