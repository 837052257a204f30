"""What the goods receipts of an order come to, line by line, in the order's own units."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, localcontext

from deskworld_erp.invoicing.rules.amounts import EXACT, NO_QUANTITY
from deskworld_erp.invoicing.rules.lines import in_unit_of
from deskworld_erp.invoicing.rules.values import Order


@dataclass(frozen=True, slots=True)
class ReceivedLine:
    """One line of a receipt; a reversal's are negative."""

    po_line: int
    unit: str
    accepted: Decimal


@dataclass(frozen=True, slots=True)
class Received:
    """Per order line. `returned` is what reversals took back; `unreadable` lines came in a unit without conversion."""

    accepted: Mapping[int, Decimal] = field(default_factory=dict)
    returned: Mapping[int, Decimal] = field(default_factory=dict)
    unreadable: frozenset[int] = frozenset()


def received(order: Order, lines: Iterable[ReceivedLine]) -> Received:
    """The order in which they were posted does not matter. Lines that the order has no more are left out."""
    ordered = {line.no: line for line in order.lines}
    accepted: dict[int, Decimal] = {}
    returned: dict[int, Decimal] = {}
    unreadable: set[int] = set()
    with localcontext(EXACT):
        for line in lines:
            target = ordered.get(line.po_line)
            if target is None:
                continue
            quantity = in_unit_of(target, line.accepted, line.unit)
            if quantity is None:
                unreadable.add(target.no)
                continue
            accepted[target.no] = accepted.get(target.no, NO_QUANTITY) + quantity
            if quantity < 0:
                returned[target.no] = returned.get(target.no, NO_QUANTITY) - quantity
    return Received(accepted, returned, frozenset(unreadable))
