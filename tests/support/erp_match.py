"""Inputs of the match, told as differences from a plain case: 100 ordered, received and billed at 10.00."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

from deskworld_erp.invoicing.rules.match import match
from deskworld_erp.invoicing.rules.values import (
    Finding,
    Inputs,
    Invoice,
    InvoiceLine,
    Order,
    OrderLine,
    OtherInvoice,
    Outcome,
    Tolerances,
)
from deskworld_erp.invoicing.tolerances import load_tolerances

SHIPPED: Tolerances = load_tolerances().values
DAY = date(2026, 3, 10)
D = Decimal


def line(no: int = 1, **changes: Any) -> InvoiceLine:
    plain = InvoiceLine(no=no, po_line=no, item=f"ITEM-{no}", unit="EA", quantity=D(100), price=D("10.00"))
    return replace(plain, **changes)


def ordered(no: int = 1, **changes: Any) -> OrderLine:
    return replace(OrderLine(no=no, item=f"ITEM-{no}", unit="EA", quantity=D(100), price=D("10.00")), **changes)


def inputs(
    *lines: InvoiceLine,
    order: Order | str | None = "plain",
    accepted: Mapping[int, str] | None = None,
    others: tuple[OtherInvoice, ...] = (),
    tax: str = "0.00",
    freight: str = "0.00",
    stated: str | None = None,
    bank: bool = False,
    tolerances: Tolerances = SHIPPED,
    **invoice: Any,
) -> Inputs:
    billed = lines or (line(),)
    plain = Order("PO-1", "USD", tuple(ordered(no) for no in sorted({one.no for one in billed})))
    found = plain if isinstance(order, str) else order
    computed = sum((one.stated_net or one.quantity * one.price for one in billed), D(tax) + D(freight))
    document = Invoice(
        id="this",
        sequence=10,
        number="INV-100",
        order_number=None if found is None else found.number,
        date=DAY,
        currency="USD",
        lines=billed,
        tax=D(tax),
        freight=D(freight),
        stated_total=D(stated) if stated is not None else computed.quantize(D("0.01")),
    )
    received = {one.no: "100" for one in (found.lines if found else ())} if accepted is None else accepted
    return Inputs(
        invoice=replace(document, **invoice),
        order=found,
        accepted={no: D(quantity) for no, quantity in received.items()},
        others=others,
        bank_change_unverified=bank,
        tolerances=tolerances,
    )


def other(sequence: int = 1, **changes: Any) -> OtherInvoice:
    plain = OtherInvoice(
        id=f"other-{sequence}", sequence=sequence, number=f"OLD-{sequence}X", order_number="PO-1", date=DAY,
        currency="USD", total=D("77.00"),
    )  # fmt: skip
    return replace(plain, **changes)


def found(outcome: Outcome) -> list[tuple[str, str]]:
    return [(str(one.reason), f"{one.amount:f}") for one in outcome.findings]


def masked(outcome: Outcome) -> list[tuple[str, str]]:
    return [(str(one.reason), f"{one.amount:f}") for one in outcome.masked]


def only(outcome: Outcome) -> Finding:
    assert len(outcome.findings) == 1, found(outcome)
    return outcome.findings[0]


__all__ = ["DAY", "SHIPPED", "D", "found", "inputs", "line", "masked", "match", "only", "ordered", "other"]
