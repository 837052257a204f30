"""The three-way match: invoice, order and receipts. A pure function of all its inputs, and it never raises."""

from decimal import Decimal, localcontext

from deskworld_erp.invoicing.rules import checks
from deskworld_erp.invoicing.rules.amounts import EXACT
from deskworld_erp.invoicing.rules.arithmetic import Totals, document_arithmetic, gaps, totals_of
from deskworld_erp.invoicing.rules.duplicates import Resemblance, similar
from deskworld_erp.invoicing.rules.lines import Lines, counted, read_lines
from deskworld_erp.invoicing.rules.payable import payable
from deskworld_erp.invoicing.rules.values import Finding, Inputs, Note, Outcome, Reason


def match(inputs: Inputs) -> Outcome:
    with localcontext(EXACT):
        lines = read_lines(inputs)
        totals = totals_of(inputs.invoice)
        near, beyond = gaps(inputs, totals)
        below = _below(inputs, lines, totals, beyond)
        ending = _ending(inputs, totals.due)
        bank = _bank_change(inputs, totals.due)
        if ending:
            findings = [ending[0], *([bank] if bank else [])]
            masked = (*ending[1:], *below)
        else:
            findings, masked = [*([bank] if bank else []), *below], ()
        return Outcome(
            findings=tuple(findings),
            masked=masked,
            ended_by=ending[0].reason if ending else None,
            payable=payable(inputs, lines, totals, {finding.reason for finding in findings}),
            counts=counted((one.ordered.no, one.quantity) for one in lines.billed),
            let_through=counted((one.ordered.no, one.let_through) for one in lines.billed),
            notes=near,
        )


def _ending(inputs: Inputs, total: Decimal) -> list[Finding]:
    """Those that end the match, first one first."""
    return [finding for finding in (_duplicate(inputs, total), _no_po(inputs, total)) if finding]


def _below(inputs: Inputs, lines: Lines, totals: Totals, beyond: tuple[Note, ...]) -> tuple[Finding, ...]:
    found = (
        checks.currency_mismatch(inputs, totals.due),
        checks.uom_mismatch(lines),
        checks.item_substituted(inputs, lines),
        checks.price_variance(inputs, lines),
        checks.no_receipt(inputs, lines),
        checks.quantity_over_receipt(inputs, lines),
        checks.unplanned_charge(inputs, lines),
        document_arithmetic(inputs, totals, beyond),
    )
    return tuple(finding for finding in found if finding)


def _duplicate(inputs: Inputs, total: Decimal) -> Finding | None:
    alike = [
        one
        for one in similar(inputs.invoice, total, inputs.others, window_days=inputs.tolerances.duplicate_window_days)
        if one.other.id not in inputs.invoice.cleared
    ]
    if any(one.why is Resemblance.SAME_NUMBER for one in alike):
        return Finding(Reason.DUPLICATE, "An earlier invoice of this vendor carries the same number.", (), total)
    if alike:
        same_order = any(one.why is Resemblance.SAME_ORDER_AND_TOTAL for one in alike)
        how = "on the same order, close in date," if same_order else "with nearly the same number"
        summary = f"An earlier invoice {how} has the same total."
        return Finding(Reason.POSSIBLE_DUPLICATE, summary, (), total)
    return None


def _bank_change(inputs: Inputs, total: Decimal) -> Finding | None:
    if not inputs.bank_change_unverified:
        return None
    summary = "A change of the vendor's bank account was asked for and is not verified."
    return Finding(Reason.VENDOR_BANK_CHANGED, summary, (), total)


def _no_po(inputs: Inputs, total: Decimal) -> Finding | None:
    if inputs.order is not None:
        return None
    cited = inputs.invoice.order_number is not None
    summary = "The invoice cites an order that this vendor has not." if cited else "The invoice cites no order."
    return Finding(Reason.NO_PO, summary, (), total)
