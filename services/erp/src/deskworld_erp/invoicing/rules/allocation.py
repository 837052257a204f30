"""What an invoice takes of an order that it was paid against without billing its lines."""

from collections.abc import Mapping
from decimal import Decimal, localcontext

from deskworld_erp.invoicing.rules.amounts import EXACT, NO_QUANTITY, kept
from deskworld_erp.invoicing.rules.lines import billed_before, net, read_lines, unbilled
from deskworld_erp.invoicing.rules.values import Inputs


def taken(inputs: Inputs, paid: Decimal) -> Mapping[int, Decimal]:
    """Per line of `inputs.order`: what the invoice's lines bill of it, and for lines that name none of its lines
    as much as their value buys, first line first. So the same goods cannot be paid a second time.
    """
    order = inputs.order
    if order is None:
        return {}
    with localcontext(EXACT):
        lines = read_lines(inputs)
        counts: dict[int, Decimal] = {}
        for one in lines.billed:
            counts[one.ordered.no] = counts.get(one.ordered.no, NO_QUANTITY) + one.quantity
        value = min(paid, sum((net(line) for line in (*lines.unplaced, *lines.unconvertible)), NO_QUANTITY))
        before = billed_before(inputs)
        for line in order.lines:
            used = counts.get(line.no, NO_QUANTITY)
            left = unbilled(line, inputs.accepted.get(line.no, NO_QUANTITY), before.get(line.no, NO_QUANTITY))
            if value <= 0 or left - used <= 0 or line.price <= 0:
                continue
            quantity = min(left - used, value * line.base / line.price)
            counts[line.no] = used + quantity
            value -= line.costs(quantity)
        return {number: kept(quantity) for number, quantity in counts.items()}
