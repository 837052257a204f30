"""Credit notes on an invoice: what they come to, and what goods they take back."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal

from deskworld_erp.invoicing.rules.amounts import NO_QUANTITY, NOTHING
from deskworld_erp.invoicing.rules.values import Invoice


@dataclass(frozen=True, slots=True)
class CreditNote:
    """`quantities`: per line of the invoice, in that line's unit, what is billed no longer. A price that is corrected
    takes back none."""

    amount: Decimal
    quantities: Mapping[int, Decimal] = field(default_factory=dict)


def credited(invoice: Invoice, notes: Iterable[CreditNote]) -> Invoice:
    """The invoice with what was credited on it, in whatever order the notes came."""
    total, quantities = NOTHING, dict.fromkeys((line.no for line in invoice.lines), NO_QUANTITY)
    for note in notes:
        total += note.amount
        for number, quantity in note.quantities.items():
            quantities[number] = quantities.get(number, NO_QUANTITY) + quantity
    lines = tuple(replace(line, credited=quantities[line.no]) for line in invoice.lines)
    return replace(invoice, credits=total, lines=lines)
