"""An invoice as it arrives: what the vendor wrote, and what the match makes of it."""

from datetime import datetime
from decimal import Decimal, localcontext
from typing import Any

from deskworld_erp.fields import money_text, price_text, quantity_text
from deskworld_erp.invoicing.book import Book
from deskworld_erp.invoicing.matching import matched
from deskworld_erp.invoicing.record import InvoiceRecord, counts_document
from deskworld_erp.invoicing.rules.amounts import EXACT, NOTHING, cents
from deskworld_erp.invoicing.rules.match import match
from deskworld_erp.invoicing.rules.values import Status
from deskworld_erp.situations.schemas import NewInvoice
from deskworld_kit.ids import new_id
from deskworld_kit.problems import Problem

MOST = Decimal("1e16")


def received(book: Book, sequence: int, new: NewInvoice, *, at: datetime) -> InvoiceRecord:
    """At version 1. Raises Problem INVALID_REQUEST when it comes to more than an amount can hold."""
    lines = [_line(no, line) for no, line in enumerate(new.lines, start=1)]
    with localcontext(EXACT):
        computed = cents(sum((Decimal(line["net"]) for line in lines), NOTHING) + new.tax + new.freight)
    if computed >= MOST:
        raise Problem(400, "INVALID_REQUEST", f"invoices: {new.ref} comes to more than {MOST:f}", field="invoices")
    record = InvoiceRecord(
        id=new_id(),
        vendor_id=book.vendor_id,
        sequence=sequence,
        number=new.number,
        po_reference=new.po_reference,
        date=new.date,
        currency=new.currency,
        lines=list(lines),
        tax=new.tax,
        freight=new.freight,
        stated_total=computed if new.stated_total is None else new.stated_total,
        computed_total=computed,
        matched_po=None,
        status=str(Status.RECEIVED),
        version=1,
        approved_amount=None,
        credits=NOTHING,
        payable=NOTHING,
        counts={},
        cleared=[],
        received_at=at,
    )
    return _approved(book, record) if new.settled else matched(book, record)


def _approved(book: Book, record: InvoiceRecord) -> InvoiceRecord:
    """One that was approved at its computed total before: it raises nothing, and counts with all that it bills."""
    inputs = book.inputs(record)
    outcome = match(inputs)
    return InvoiceRecord(
        **record.columns()
        | {
            "status": str(Status.APPROVED),
            "approved_amount": record.computed_total,
            "payable": outcome.payable,
            "counts": counts_document(outcome.counts),
            "matched_po": None if inputs.order is None else inputs.order.number,
        }
    )


def _line(no: int, line: Any) -> dict[str, Any]:
    with localcontext(EXACT):
        net = cents(line.quantity * line.price)
    return {
        "no": no,
        "po_line": line.po_line,
        "item": line.item,
        "description": line.description,
        "unit": line.unit,
        "quantity": quantity_text(line.quantity),
        "price": price_text(line.price),
        "net": money_text(net),
    }
