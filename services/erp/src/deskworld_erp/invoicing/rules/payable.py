"""What may be paid: what all open exceptions together let through, and what an order still lets be paid."""

from collections.abc import Mapping, Set
from decimal import Decimal, localcontext

from deskworld_erp.invoicing.rules.amounts import EXACT, NO_QUANTITY, NOTHING, ONE, cents
from deskworld_erp.invoicing.rules.arithmetic import Totals
from deskworld_erp.invoicing.rules.lines import BilledLine, Lines, unbilled
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


def payable(inputs: Inputs, lines: Lines, totals: Totals, found: Set[Reason]) -> Decimal:
    """Never more than was ordered, at the ordered price, and accepted; never more than the document asks for."""
    if found & BARS:
        return NOTHING
    invoice = inputs.invoice
    through = sum((_let_through_value(one) for one in lines.billed), NOTHING)
    goods = totals.lines
    if invoice.allowance > 0 and goods > 0:
        through -= cents(invoice.allowance * min(ONE, max(NOTHING, through) / goods))
    before_tax = goods - invoice.allowance + invoice.freight
    tax = NOTHING
    if invoice.tax > 0 and before_tax > 0:
        tax = cents(invoice.tax * min(ONE, max(NOTHING, through) / before_tax))
    due = through + tax - invoice.prepaid
    return max(NOTHING, min(due, ceiling(totals.due, invoice.stated_total, invoice.credits)))


def ceiling(computed: Decimal, stated: Decimal, credited: Decimal) -> Decimal:
    """The most that can ever be paid on a document: the lower of computed and stated total, less credits."""
    return cents(min(computed, stated) - credited)


def order_payable(order: Order, accepted: Mapping[int, Decimal], billed: Mapping[int, Decimal]) -> Decimal:
    """What could be paid against an order now, before tax: accepted and ordered, unbilled, at the ordered price."""
    with localcontext(EXACT):
        open_value = (
            line.costs(unbilled(line, accepted.get(line.no, NO_QUANTITY), billed.get(line.no, NO_QUANTITY)))
            for line in order.lines
        )
        return cents(sum(open_value, NOTHING))


def _let_through_value(one: BilledLine) -> Decimal:
    """min(billed price, ordered price) by the quantity let through; both prices per unit of the PO line.

    What a line takes back is taken at the higher price: goods never cost more than they are taken back for.
    """
    if one.let_through == 0:
        return NOTHING
    at_billed = one.sure if one.let_through == one.quantity else one.sure * one.let_through / one.quantity
    value = min(at_billed, one.ordered.costs(one.let_through))
    return cents(value if one.let_through < 0 else max(NOTHING, value))
