"""Line by line: an invoice against the order that it bills and what was accepted of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from deskworld_erp.invoicing.rules.amounts import CENT, NO_QUANTITY, NOTHING, ONE, cents, fine, kept
from deskworld_erp.invoicing.rules.units import convert
from deskworld_erp.invoicing.rules.values import Inputs, InvoiceLine, OrderLine

_HALF_CENT = CENT / 2


@dataclass(frozen=True, slots=True)
class BilledLine:
    """A line that bills a PO line in a unit that converts, less what credit notes took back of it."""

    line: InvoiceLine
    ordered: OrderLine
    quantity: Decimal
    """In the PO line's unit; negative where the line takes goods back."""
    value: Decimal
    """What the line charges: its stated amount as far as rounding explains it, else quantity by price."""
    sure: Decimal
    """What of it stands whichever of its figures is wrong: the lower of amount and quantity by price."""
    ordered_value: Decimal
    """The same quantity at the ordered price."""
    accepted: Decimal
    let_through: Decimal
    """What accepted and ordered quantity leave for it after earlier live invoices, in the PO line's unit."""
    substituted: bool

    @property
    def over(self) -> Decimal:
        """Above the ordered price. A stated amount is rounded to cents, and that much is not over."""
        over = self.value - self.ordered_value
        return NOTHING if NO_QUANTITY < over < _HALF_CENT and self.line.stated_net is not None else over

    @property
    def excess(self) -> Decimal:
        return NO_QUANTITY if self.quantity == self.let_through else fine(self.quantity - self.let_through)


@dataclass(frozen=True, slots=True)
class Lines:
    billed: tuple[BilledLine, ...]
    unplaced: tuple[InvoiceLine, ...]
    """They name no line of the order."""
    unconvertible: tuple[InvoiceLine, ...]


def value(line: InvoiceLine) -> Decimal:
    """Quantity by price, with the line's own charges and allowances; not rounded."""
    gross = line.quantity * line.price
    return (gross if line.base == ONE else gross / line.base) + line.adjustment


def net(line: InvoiceLine) -> Decimal:
    """The line amount: as stated where the document states one, else quantity by price, half-up."""
    return cents(value(line)) if line.stated_net is None else line.stated_net


def slack(line: InvoiceLine, limit: Decimal) -> Decimal:
    """How far amount and quantity by price may lie apart: the tolerance, or what the price's own rounding explains.

    A price written `1.03` stands for anything within half a hundredth: 157.94 units at it may be 0.79 off. One that is
    written with fewer places is no vaguer than that.
    """
    exponent = line.price.as_tuple().exponent
    half = ONE.scaleb(min(exponent, -2)) / 2 if isinstance(exponent, int) else NOTHING
    return max(limit, half * abs(line.quantity) / line.base)


def read_lines(inputs: Inputs) -> Lines:
    """Lines of one PO line share what is left of it, in the order in which they stand; what one takes back is left."""
    order = inputs.order
    if order is None:
        return Lines((), (), ())
    ordered = {line.no: line for line in order.lines}
    limit = inputs.tolerances.rounding_line.get(inputs.invoice.currency, NOTHING)
    placed: list[tuple[InvoiceLine, OrderLine, Decimal]] = []
    unplaced, unconvertible = [], []
    for line in inputs.invoice.lines:
        target = None if line.po_line is None else ordered.get(line.po_line)
        if target is None:
            unplaced.append(line)
            continue
        quantity = in_unit_of(target, line.quantity - line.credited, line.unit)
        if quantity is None or target.no in inputs.unreadable:
            unconvertible.append(line)
            continue
        placed.append((line, target, quantity))
    left = _left(inputs, ordered)
    for _, target, quantity in placed:
        left[target.no] -= min(NO_QUANTITY, quantity)
    billed = []
    for line, target, quantity in placed:
        through = quantity if quantity < 0 else max(NO_QUANTITY, min(quantity, left[target.no]))
        if through > 0:
            left[target.no] -= through
        accepted = inputs.accepted.get(target.no, NO_QUANTITY)
        billed.append(_billed(line, target, quantity, through, accepted=accepted, limit=limit))
    return Lines(tuple(billed), tuple(unplaced), tuple(unconvertible))


def in_unit_of(ordered: OrderLine, quantity: Decimal, unit: str) -> Decimal | None:
    """A quantity of the order line's item in the order line's unit; None when there is no conversion."""
    if unit == ordered.unit:
        return quantity
    found = convert(quantity, unit, ordered.unit, ordered.packs)
    return None if found is None else kept(found)


def counted(lines: Iterable[tuple[int, Decimal]]) -> Mapping[int, Decimal]:
    """Quantities summed per PO line, exactly: what was converted into the line's unit has been rounded once."""
    total: dict[int, Decimal] = {}
    for number, quantity in lines:
        total[number] = total.get(number, NO_QUANTITY) + quantity
    return total


def unbilled(line: OrderLine, accepted: Decimal, billed: Decimal) -> Decimal:
    """What of an order line may still be billed. Goods that were taken back on paper alone add nothing to it."""
    left = min(line.quantity, accepted)
    if billed > 0:
        left -= billed
    return left if left > 0 else NO_QUANTITY


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


def _billed(
    line: InvoiceLine, target: OrderLine, quantity: Decimal, through: Decimal, *, accepted: Decimal, limit: Decimal
) -> BilledLine:
    by_price = value(line)
    charged = sure = by_price
    stated = line.stated_net
    if stated is not None and stated != by_price and (gap := abs(stated - by_price)) > _HALF_CENT:
        explained = gap <= slack(line, limit) + _HALF_CENT
        charged, sure = (stated, stated) if explained else (by_price, min(by_price, stated))
    if line.credited and line.quantity:
        remaining = (line.quantity - line.credited) / line.quantity
        charged, sure = charged * remaining, sure * remaining
    return BilledLine(
        line=line,
        ordered=target,
        quantity=quantity,
        value=charged,
        sure=sure,
        ordered_value=target.costs(quantity),
        accepted=accepted,
        let_through=through,
        substituted=line.item != target.item and item_key(line.item) != item_key(target.item),
    )


def _left(inputs: Inputs, ordered: Mapping[int, OrderLine]) -> dict[int, Decimal]:
    before = billed_before(inputs)
    return {
        number: unbilled(line, inputs.accepted.get(number, NO_QUANTITY), before.get(number, NO_QUANTITY))
        for number, line in ordered.items()
    }


def item_key(code: str) -> str:
    """Item codes are compared without case and outer blanks."""
    return code.strip().casefold()
