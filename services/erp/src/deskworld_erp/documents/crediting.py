"""A UBL credit note as ours: what it credits, and which goods it takes back."""

from decimal import Decimal, localcontext
from typing import Any

from deskworld_erp.documents.schemas import CreditAsSent, CreditedLine, InvoiceAsSent, NewInvoiceLine
from deskworld_erp.documents.ubl.refused import DocumentRefused
from deskworld_erp.invoicing.arriving import as_sent
from deskworld_erp.invoicing.rules.amounts import EXACT
from deskworld_erp.invoicing.rules.arithmetic import gaps, totals_of
from deskworld_erp.invoicing.rules.lines import item_key
from deskworld_erp.invoicing.rules.values import Inputs, Tolerances

_CORRECT = "Ask the vendor to correct the document."


def credit_of(note: InvoiceAsSent, invoice: Any, tolerances: Tolerances) -> CreditAsSent:
    """`invoice`: the row of the invoice that it credits. Raises DocumentRefused when the note does not add up.

    A line takes goods back when it names an order line that the invoice bills, in the same item and unit at the same
    price; at another price it corrects the price, and takes back none.
    """
    inputs = _inputs(note, tolerances)
    beyond = gaps(inputs, totals_of(inputs.invoice))[1]
    if beyond:
        first = beyond[0]
        place = "" if first.line is None else f"/cac:CreditNoteLine[{first.line}]"
        why = f"does not add up: {first.identity} is {first.difference:f} off"
        raise DocumentRefused(f"CreditNote{place}", None, why, _CORRECT)
    if not note.stated_total or note.stated_total <= 0:
        value = "0.00" if note.stated_total is None else f"{note.stated_total:f}"
        element = "CreditNote/cac:LegalMonetaryTotal/cbc:PayableAmount"
        raise DocumentRefused(element, value, "credits nothing", _CORRECT)
    left = {
        line["no"]: Decimal(line["quantity"]) - Decimal(invoice.credited.get(str(line["no"]), 0))
        for line in invoice.lines
    }
    taken: dict[int, Decimal] = {}
    for line in note.lines:
        number = next(
            (one["no"] for one in invoice.lines if _same(line, one) and left[one["no"]] >= line.quantity), None
        )
        if number is not None and line.quantity > 0:
            left[number] -= line.quantity
            taken[number] = taken.get(number, Decimal(0)) + line.quantity
    return CreditAsSent(
        number=note.number,
        date=note.date,
        currency=note.currency,
        amount=note.stated_total,
        lines=[CreditedLine(line=number, quantity=quantity) for number, quantity in sorted(taken.items())],
    )


def _same(line: NewInvoiceLine, billed: dict[str, Any]) -> bool:
    with localcontext(EXACT):
        price = Decimal(billed["price"]) * line.base_quantity == line.price * Decimal(billed.get("base_quantity", 1))
    return (
        price
        and line.po_line is not None
        and line.po_line == billed["po_line"]
        and line.unit == billed["unit"]
        and item_key(line.item) == item_key(billed["item"])
    )


def _inputs(note: InvoiceAsSent, tolerances: Tolerances) -> Inputs:
    return Inputs(
        invoice=as_sent(note).value(),
        order=None,
        accepted={},
        others=(),
        bank_change_unverified=False,
        tolerances=tolerances,
    )
