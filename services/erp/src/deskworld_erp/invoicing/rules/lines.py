"""Line by line: an invoice against the order that it bills and what was accepted of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from deskworld_erp.invoicing.rules.amounts import NO_QUANTITY, cents, fine
from deskworld_erp.invoicing.rules.units import convert
from deskworld_erp.invoicing.rules.values import Inputs, InvoiceLine, OrderLine


@dataclass(frozen=True, slots=True)
class BilledLine:
    """A line that bills a PO line in a unit that converts."""

    line: InvoiceLine
    ordered: OrderLine
    quantity: Decimal
    """In the PO line's unit."""
    value: Decimal
    ordered_value: Decimal
    """The same quantity at the ordered price."""
    accepted: Decimal
    let_through: Decimal
    """What accepted and ordered quantity leave for it after earlier live invoices, in the PO line's unit."""
    substituted: bool

    @property
    def over(self) -> Decimal:
        return self.value - self.ordered_value

    @property
    def excess(self) -> Decimal:
        return fine(self.quantity - self.let_through)


@dataclass(frozen=True, slots=True)
class Lines:
    billed: tuple[BilledLine, ...]
    unplaced: tuple[InvoiceLine, ...]
    """They name no line of the order."""
    unconvertible: tuple[InvoiceLine, ...]


def value(line: InvoiceLine) -> Decimal:
    return line.quantity * line.price


def net(line: InvoiceLine) -> Decimal:
    """The line amount: as stated where the document states one, else quantity by price, half-up."""
    return cents(value(line)) if line.stated_net is None else line.stated_net


def read_lines(inputs: Inputs) -> Lines:
    """Lines of one PO line share what is left of it, in the order in which they stand."""
    order = inputs.order
    if order is None:
        return Lines((), (), ())
    ordered = {line.no: line for line in order.lines}
    left = _left(inputs, ordered)
    billed, unplaced, unconvertible = [], [], []
    for line in inputs.invoice.lines:
        target = None if line.po_line is None else ordered.get(line.po_line)
        if target is None:
            unplaced.append(line)
            continue
        quantity = convert(line.quantity, line.unit, target.unit)
        if quantity is None:
            unconvertible.append(line)
            continue
        through = max(NO_QUANTITY, min(quantity, left[target.no]))
        left[target.no] -= through
        billed.append(
            BilledLine(
                line=line,
                ordered=target,
                quantity=quantity,
                value=value(line),
                ordered_value=quantity * target.price,
                accepted=inputs.accepted.get(target.no, NO_QUANTITY),
                let_through=through,
                substituted=_item(line.item) != _item(target.item),
            )
        )
    return Lines(tuple(billed), tuple(unplaced), tuple(unconvertible))


def counted(lines: Iterator[tuple[int, Decimal]]) -> Mapping[int, Decimal]:
    """Quantities summed per PO line."""
    total: dict[int, Decimal] = {}
    for number, quantity in lines:
        total[number] = total.get(number, NO_QUANTITY) + quantity
    return {number: fine(quantity) for number, quantity in total.items()}


def billed_before(inputs: Inputs) -> Mapping[int, Decimal]:
    """What earlier live invoices on the same order take of each PO line."""
    return counted(
        (number, quantity)
        for other in inputs.others
        if other.live
        and other.sequence < inputs.invoice.sequence
        and inputs.order is not None
        and other.order_number == inputs.order.number
        for number, quantity in other.counts.items()
    )


def _left(inputs: Inputs, ordered: Mapping[int, OrderLine]) -> dict[int, Decimal]:
    before = billed_before(inputs)
    return {
        number: max(
            NO_QUANTITY,
            min(inputs.accepted.get(number, NO_QUANTITY), line.quantity) - before.get(number, NO_QUANTITY),
        )
        for number, line in ordered.items()
    }


def _item(code: str) -> str:
    return code.strip().casefold()
