"""The checks below the three that end a match: each gives one finding or none."""

from collections.abc import Iterable
from decimal import Decimal

from deskworld_erp.invoicing.rules.amounts import NO_QUANTITY, NOTHING, cents
from deskworld_erp.invoicing.rules.lines import BilledLine, Lines, net, value
from deskworld_erp.invoicing.rules.values import Finding, Inputs, Invoice, InvoiceLine, Reason


def computed_total(invoice: Invoice) -> Decimal:
    return cents(sum((net(line) for line in invoice.lines), NOTHING) + invoice.tax + invoice.freight)


def currency_mismatch(inputs: Inputs) -> Finding | None:
    order = inputs.order
    if order is None or order.currency == inputs.invoice.currency:
        return None
    total = computed_total(inputs.invoice)
    summary = f"The invoice is in {inputs.invoice.currency}, the order in {order.currency}."
    return Finding(Reason.CURRENCY_MISMATCH, summary, (), total)


def uom_mismatch(lines: Lines) -> Finding | None:
    found = lines.unconvertible
    if not found:
        return None
    summary = f"{_named(found)} bills in a unit that does not convert into the ordered one."
    return Finding(Reason.UOM_MISMATCH, summary, _numbers(found), cents(sum(map(value, found), NOTHING)))


def item_substituted(inputs: Inputs, lines: Lines) -> Finding | None:
    """In another currency than the order's nothing can be said of the price: the whole value is at issue."""
    found = [one for one in lines.billed if one.substituted]
    if not found:
        return None
    comparable = _same_currency(inputs)
    amount = sum((max(NO_QUANTITY, one.over if comparable else one.value) for one in found), NOTHING)
    summary = f"{_named([one.line for one in found])} bills another item than the one ordered."
    return Finding(Reason.ITEM_SUBSTITUTED, summary, _numbers([one.line for one in found]), cents(amount))


def price_variance(inputs: Inputs, lines: Lines) -> Finding | None:
    if not _same_currency(inputs):
        return None
    limit = inputs.tolerances.price_amount.get(inputs.invoice.currency, NOTHING)
    percent = inputs.tolerances.price_percent
    found = [
        one
        for one in lines.billed
        if not one.substituted
        and one.over > 0
        and (one.over > limit or one.over * 100 > percent * abs(one.ordered_value))
    ]
    if not found:
        return None
    amount = cents(sum((one.over for one in found), NOTHING))
    told = "; ".join(
        f"line {one.line.no}: {one.line.price:f} billed, {one.ordered.price:f} ordered" for one in found[:3]
    )
    summary = f"Billed above the ordered price by {amount:f} ({told}{'; …' if len(found) > 3 else ''})."
    return Finding(Reason.PRICE_VARIANCE, summary, _numbers([one.line for one in found]), amount)


def no_receipt(lines: Lines) -> Finding | None:
    found = [one.line for one in lines.billed if one.accepted <= 0 and one.quantity > 0]
    if not found:
        return None
    summary = f"Nothing was accepted of what {_named(found, lower=True)} bills."
    return Finding(Reason.NO_RECEIPT, summary, _numbers(found), cents(sum(map(value, found), NOTHING)))


def quantity_over_receipt(inputs: Inputs, lines: Lines) -> Finding | None:
    found = [one for one in lines.billed if one.accepted > 0 and one.excess > inputs.tolerances.quantity]
    if not found:
        return None
    amount = cents(sum((_excess_value(one) for one in found), NOTHING))
    summary = (
        f"{_named([one.line for one in found])} bills more than accepted and ordered quantity leave "
        f"after earlier invoices, by {amount:f}."
    )
    return Finding(Reason.QTY_OVER_RECEIPT, summary, _numbers([one.line for one in found]), amount)


def unplanned_charge(inputs: Inputs, lines: Lines) -> Finding | None:
    freight, found = inputs.invoice.freight, lines.unplaced
    if freight <= 0 and not found:
        return None
    amount = cents(max(NOTHING, freight + sum((net(line) for line in found), NOTHING)))
    parts = [f"freight of {freight:f}"] if freight > 0 else []
    parts += [f"{_named(found, lower=True)} that names no order line"] if found else []
    return Finding(Reason.UNPLANNED_CHARGE, f"Not ordered: {' and '.join(parts)}.", _numbers(found), amount)


def document_arithmetic(inputs: Inputs) -> Finding | None:
    invoice, tolerances = inputs.invoice, inputs.tolerances
    line_limit = tolerances.rounding_line.get(invoice.currency, NOTHING)
    off = [
        (line, gap)
        for line in invoice.lines
        if line.stated_net is not None and (gap := abs(line.stated_net - cents(value(line)))) > line_limit
    ]
    computed = computed_total(invoice)
    difference = abs(computed - invoice.stated_total)
    total_off = difference > tolerances.rounding_document.get(invoice.currency, NOTHING)
    if not off and not total_off:
        return None
    amount = cents(sum((gap for _, gap in off), NOTHING) + (difference if total_off else NOTHING))
    parts = [f"the lines, tax and freight add up to {computed:f}, the stated total is {invoice.stated_total:f}"]
    parts = parts if total_off else []
    parts += [f"the amount of {_named([line for line, _ in off], lower=True)} is not quantity by price"] if off else []
    summary = f"The document does not add up: {'; '.join(parts)}."
    return Finding(Reason.DOCUMENT_ARITHMETIC, summary, _numbers([line for line, _ in off]), amount)


def _same_currency(inputs: Inputs) -> bool:
    return inputs.order is not None and inputs.order.currency == inputs.invoice.currency


def _excess_value(one: BilledLine) -> Decimal:
    return one.excess * one.value / one.quantity if one.quantity else NOTHING


def _numbers(lines: Iterable[InvoiceLine]) -> tuple[int, ...]:
    return tuple(line.no for line in lines)


def _named(lines: Iterable[InvoiceLine], *, lower: bool = False) -> str:
    numbers = _numbers(lines)
    shown = ", ".join(str(number) for number in numbers[:5]) + (", …" if len(numbers) > 5 else "")
    return f"{'l' if lower else 'L'}ine {shown}"
