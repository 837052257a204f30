"""What may be paid: what all open exceptions together let through, and what an order still lets be paid."""

from collections.abc import Mapping, Set
from decimal import Decimal, localcontext

from deskworld_erp.invoicing.rules.amounts import EXACT, NO_QUANTITY, NOTHING, cents
from deskworld_erp.invoicing.rules.checks import computed_total
from deskworld_erp.invoicing.rules.lines import BilledLine, Lines, net
from deskworld_erp.invoicing.rules.values import Inputs, Order, Reason

BARS = frozenset(
    {
        Reason.DUPLICATE,
        Reason.POSSIBLE_DUPLICATE,
        Reason.NO_PO,
        Reason.CURRENCY_MISMATCH,
        Reason.UOM_MISMATCH,
        Reason.VENDOR_BANK_CHANGED,
    }
)


def payable(inputs: Inputs, lines: Lines, found: Set[Reason]) -> Decimal:
    """Never more than was ordered, at the ordered price, and accepted; never more than the document asks for."""
    if found & BARS:
        return NOTHING
    invoice = inputs.invoice
    through = sum((_let_through_value(one) for one in lines.billed), NOTHING)
    before_tax = sum((net(line) for line in invoice.lines), NOTHING) + invoice.freight
    tax = NOTHING
    if invoice.tax > 0 and before_tax > 0:
        tax = cents(invoice.tax * min(Decimal(1), through / before_tax))
    return max(NOTHING, min(through + tax, ceiling(computed_total(invoice), invoice.stated_total, invoice.credits)))


def ceiling(computed: Decimal, stated: Decimal, credited: Decimal) -> Decimal:
    """The most that can ever be paid on a document: the lower of computed and stated total, less credits."""
    return cents(min(computed, stated) - credited)


def order_payable(order: Order, accepted: Mapping[int, Decimal], billed: Mapping[int, Decimal]) -> Decimal:
    """What could be paid against an order now, before tax: accepted and ordered, unbilled, at the ordered price."""
    with localcontext(EXACT):
        return cents(
            sum(
                (
                    line.price
                    * max(
                        NO_QUANTITY,
                        min(accepted.get(line.no, NO_QUANTITY), line.quantity) - billed.get(line.no, NO_QUANTITY),
                    )
                    for line in order.lines
                ),
                NOTHING,
            )
        )


def _let_through_value(one: BilledLine) -> Decimal:
    """min(billed price, ordered price) by the quantity let through; both prices per unit of the PO line."""
    if one.let_through <= 0:
        return NOTHING
    at_billed = one.value * one.let_through / one.quantity
    return cents(max(NOTHING, min(at_billed, one.ordered.price * one.let_through)))
