"""The checks below the three that end a match: each gives one finding or none."""

from decimal import Decimal

from deskworld_erp.invoicing.rules.amounts import NO_QUANTITY, NOTHING, ONE, cents
from deskworld_erp.invoicing.rules.lines import BilledLine, Lines, net, value
from deskworld_erp.invoicing.rules.naming import named, numbers
from deskworld_erp.invoicing.rules.values import Finding, Inputs, InvoiceLine, OrderLine, Reason


def currency_mismatch(inputs: Inputs, total: Decimal) -> Finding | None:
    order = inputs.order
    if order is None or order.currency == inputs.invoice.currency:
        return None
    summary = f"The invoice is in {inputs.invoice.currency}, the order in {order.currency}."
    return Finding(Reason.CURRENCY_MISMATCH, summary, (), total)


def uom_mismatch(lines: Lines) -> Finding | None:
    found = lines.unconvertible
    if not found:
        return None
    summary = f"{named(found)} bills in a unit that does not convert into the ordered one."
    return Finding(Reason.UOM_MISMATCH, summary, numbers(found), cents(sum(map(value, found), NOTHING)))


def item_substituted(inputs: Inputs, lines: Lines) -> Finding | None:
    """In another currency than the order's nothing can be said of the price: the whole value is at issue."""
    found = [one for one in lines.billed if one.substituted]
    if not found:
        return None
    comparable = _same_currency(inputs)
    amount = sum((max(NO_QUANTITY, one.over if comparable else one.value) for one in found), NOTHING)
    summary = f"{named([one.line for one in found])} bills another item than the one ordered."
    return Finding(Reason.ITEM_SUBSTITUTED, summary, numbers([one.line for one in found]), cents(amount))


def price_variance(inputs: Inputs, lines: Lines) -> Finding | None:
    if not _same_currency(inputs):
        return None
    limit = inputs.tolerances.price_amount.get(inputs.invoice.currency, NOTHING)
    percent = inputs.tolerances.price_percent
    over = [(one, one.over) for one in lines.billed if not one.substituted]
    found = [
        (one, much)
        for one, much in over
        if much > 0 and (much > limit or much * 100 > percent * abs(one.ordered_value))
    ]
    if not found:
        return None
    amount = cents(sum((much for _, much in found), NOTHING))
    told = "; ".join(
        f"line {one.line.no}: {_price(one.line)} billed, {_price(one.ordered)} ordered" for one, _ in found[:3]
    )
    summary = f"Billed above the ordered price by {amount:f} ({told}{'; …' if len(found) > 3 else ''})."
    return Finding(Reason.PRICE_VARIANCE, summary, numbers([one.line for one, _ in found]), amount)


def no_receipt(inputs: Inputs, lines: Lines) -> Finding | None:
    """Nothing was accepted of what is billed, or nothing came back of what is taken back."""
    found = [
        one
        for one in lines.billed
        if _nothing_came(one) or (_beyond_returns(inputs, one) and not _came_back(inputs, one))
    ]
    if not found:
        return None
    billed = [one.line for one in found if one.quantity > 0]
    back = [one.line for one in found if one.quantity <= 0]
    told = [f"Nothing was accepted of what {named(billed, lower=True)} bills."] if billed else []
    told += [f"Nothing came back of what {named(back, lower=True)} takes back."] if back else []
    amount = cents(sum((abs(one.value) for one in found), NOTHING))
    return Finding(Reason.NO_RECEIPT, " ".join(told), numbers(one.line for one in found), amount)


def quantity_over_receipt(inputs: Inputs, lines: Lines) -> Finding | None:
    """More is billed than accepted and ordered quantity leave, or more taken back than came back."""
    over = [one for one in lines.billed if one.accepted > 0 and one.excess > inputs.tolerances.quantity]
    back = [one for one in lines.billed if _beyond_returns(inputs, one) and _came_back(inputs, one)]
    if not over and not back:
        return None
    amount = cents(sum((_excess_value(one) for one in over), NOTHING) + sum((abs(one.value) for one in back), NOTHING))
    told = (
        [
            f"{named([one.line for one in over])} bills more than accepted and ordered quantity leave "
            f"after earlier invoices, by {amount:f}."
        ]
        if over
        else []
    )
    told += [f"{named([one.line for one in back])} takes back more than came back."] if back else []
    lines_of = sorted((one.line for one in (*over, *back)), key=lambda line: line.no)
    return Finding(Reason.QTY_OVER_RECEIPT, " ".join(told), numbers(lines_of), amount)


def unplanned_charge(inputs: Inputs, lines: Lines) -> Finding | None:
    freight, found = inputs.invoice.freight, lines.unplaced
    if freight <= 0 and not found:
        return None
    amount = cents(max(NOTHING, freight + sum((net(line) for line in found), NOTHING)))
    parts = [f"freight of {freight:f}"] if freight > 0 else []
    parts += [f"{named(found, lower=True)} that names no order line"] if found else []
    return Finding(Reason.UNPLANNED_CHARGE, f"Not ordered: {' and '.join(parts)}.", numbers(found), amount)


def _same_currency(inputs: Inputs) -> bool:
    return inputs.order is not None and inputs.order.currency == inputs.invoice.currency


def _excess_value(one: BilledLine) -> Decimal:
    return one.excess * one.value / one.quantity if one.quantity else NOTHING


def _price(line: InvoiceLine | OrderLine) -> str:
    return f"{line.price:f}" if line.base == ONE else f"{line.price:f} per {line.base:f}"


def _nothing_came(one: BilledLine) -> bool:
    return one.accepted <= 0 and one.quantity > 0


def _beyond_returns(inputs: Inputs, one: BilledLine) -> bool:
    """Taken back by this line alone, beyond what reversals took back of its order line."""
    return (
        one.quantity < 0
        and -one.quantity - inputs.returned.get(one.ordered.no, NO_QUANTITY) > inputs.tolerances.quantity
    )


def _came_back(inputs: Inputs, one: BilledLine) -> bool:
    return inputs.returned.get(one.ordered.no, NO_QUANTITY) > 0
