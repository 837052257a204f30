"""Whether a document adds up: its lines, its totals, and its VAT (EN 16931's rules BR-CO-10 to 17, PEPPOL-R120)."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from deskworld_erp.invoicing.rules.amounts import CENT, NO_QUANTITY, NOTHING, cents
from deskworld_erp.invoicing.rules.lines import net, slack, value
from deskworld_erp.invoicing.rules.naming import named, numbers
from deskworld_erp.invoicing.rules.values import Finding, Inputs, Invoice, InvoiceLine, Note, Reason

_HALF_CENT = CENT / 2


@dataclass(frozen=True, slots=True)
class Totals:
    """What an invoice comes to: its lines (BT-106), and all its parts (BT-115)."""

    lines: Decimal
    due: Decimal


def totals_of(invoice: Invoice) -> Totals:
    """Lines, less allowances, with charges and tax, rounded, less what was prepaid."""
    lines = sum((net(line) for line in invoice.lines), NOTHING)
    goods = lines - invoice.allowance + invoice.freight
    return Totals(lines, cents(goods + invoice.tax + invoice.rounding - invoice.prepaid))


def computed_total(invoice: Invoice) -> Decimal:
    return totals_of(invoice).due


def gaps(inputs: Inputs, totals: Totals) -> tuple[tuple[Note, ...], tuple[Note, ...]]:
    """What holds only nearly: within what is tolerated or explained, and beyond it."""
    near: list[Note] = []
    beyond: list[Note] = []
    for note, allowed in (*_line_gaps(inputs), *_document_gaps(inputs, totals)):
        (near if note.difference <= allowed else beyond).append(note)
    return tuple(near), tuple(beyond)


def document_arithmetic(inputs: Inputs, totals: Totals, beyond: tuple[Note, ...]) -> Finding | None:
    """At issue is what the lines are off, and the largest difference of a total."""
    if not beyond:
        return None
    of_totals = [note for note in beyond if note.line is None]
    off = [line for line in inputs.invoice.lines if line.no in {note.line for note in beyond}]
    amount = sum((note.difference for note in beyond if note.line is not None), NOTHING)
    amount += max((note.difference for note in of_totals), default=NOTHING)
    return Finding(
        Reason.DOCUMENT_ARITHMETIC, _told(inputs.invoice, totals.due, of_totals, off), numbers(off), cents(amount)
    )


def _told(invoice: Invoice, computed: Decimal, totals: list[Note], off: list[InvoiceLine]) -> str:
    parts = []
    if any(note.identity == "TOTAL" for note in totals):
        parts.append(f"the lines, tax and freight add up to {computed:f}, the stated total is {invoice.stated_total:f}")
    broken = sorted({note.identity for note in totals} - {"TOTAL"})
    if broken:
        parts.append(f"{', '.join(broken)} {'does' if len(broken) == 1 else 'do'} not hold")
    if off:
        parts.append(f"the amount of {named(off, lower=True)} is not quantity by price")
    return f"The document does not add up: {'; '.join(parts)}."


def _line_gaps(inputs: Inputs) -> Iterator[tuple[Note, Decimal]]:
    limit = inputs.tolerances.rounding_line.get(inputs.invoice.currency, NOTHING)
    for line in inputs.invoice.lines:
        if line.stated_net is None:
            continue
        by_price = value(line)
        if abs(line.stated_net - by_price) > _HALF_CENT:
            gap = abs(line.stated_net - cents(by_price))
            yield Note("PEPPOL-R120", line.no, gap), slack(line, limit)


def _document_gaps(inputs: Inputs, totals: Totals) -> Iterator[tuple[Note, Decimal]]:
    invoice = inputs.invoice
    limit = inputs.tolerances.rounding_document.get(invoice.currency, NOTHING)
    for identity, stated, computed in _identities(invoice, totals):
        if stated is not None and stated != computed:
            yield Note(identity, None, cents(abs(stated - computed))), limit
    per_line = len(invoice.lines) * _HALF_CENT
    for part in invoice.taxes:
        gap = abs(part.tax - cents(part.taxable * (part.rate or NO_QUANTITY) / 100))
        if gap:
            # VAT that is rounded line by line is lawful, and half a cent a line is all that it can be off
            yield Note("BR-CO-17", None, gap), max(limit, per_line)


def _identities(invoice: Invoice, totals: Totals) -> Iterator[tuple[str, Decimal | None, Decimal]]:
    sums = invoice.sums
    lines = totals.lines
    yield "BR-CO-10", sums.lines, lines
    yield "BR-CO-11", sums.allowances, invoice.allowance
    yield "BR-CO-12", sums.charges, invoice.freight
    goods = (lines if sums.lines is None else sums.lines) - invoice.allowance + invoice.freight
    yield "BR-CO-13", sums.net, goods
    if invoice.taxes:
        yield "BR-CO-14", invoice.tax, sum((part.tax for part in invoice.taxes), NOTHING)
    before_tax = goods if sums.net is None else sums.net
    yield "BR-CO-15", sums.gross, before_tax + invoice.tax
    if sums.gross is not None:
        yield "BR-CO-16", invoice.stated_total, sums.gross - invoice.prepaid + invoice.rounding
    yield "TOTAL", invoice.stated_total, totals.due
