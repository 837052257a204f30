"""An order and its revisions: the highest one counts, whichever arrived last."""

from collections.abc import Iterable
from dataclasses import dataclass

from deskworld_erp.invoicing.rules.values import Order


@dataclass(frozen=True, slots=True)
class Revision:
    number: int
    order: Order


def current(revisions: Iterable[Revision]) -> Revision:
    """Raises ValueError where there is none."""
    return max(revisions, key=lambda one: one.number)


def does_not_follow(known: Order, revised: Order) -> str | None:
    """Why a revision cannot be one of this order; None when it can.

    Receipts and invoices name lines by number: a line keeps its item and its unit, another item is another line.
    """
    if revised.currency != known.currency:
        return f"the order is in {known.currency}; another currency is another order"
    lines = {line.no: line for line in known.lines}
    for line in revised.lines:
        before = lines.get(line.no)
        if before is not None and (before.item, before.unit) != (line.item, line.unit):
            return f"line {line.no} is {before.item} in {before.unit}; another item or unit is a line of its own"
    return None
