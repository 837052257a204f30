"""An invoice as it arrives: what the vendor wrote, and what the match makes of it."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from decimal import Decimal, localcontext
from typing import Any

from deskworld_erp.documents.schemas import InvoiceAsSent, NewInvoiceLine
from deskworld_erp.fields import money_text, price_text, quantity_text
from deskworld_erp.invoicing.book import Book
from deskworld_erp.invoicing.matching import matched
from deskworld_erp.invoicing.record import InvoiceRecord, counts_document
from deskworld_erp.invoicing.rules.amounts import EXACT, NOTHING, ONE, cents
from deskworld_erp.invoicing.rules.arithmetic import computed_total
from deskworld_erp.invoicing.rules.match import match
from deskworld_erp.invoicing.rules.values import Status
from deskworld_kit import clock
from deskworld_kit.ids import new_id
from deskworld_kit.problems import Problem

MOST = Decimal("1e16")


def received(book: Book, sequence: int, new: InvoiceAsSent, *, at: datetime, settled: bool = False) -> InvoiceRecord:
    """At version 1. Raises Problem INVALID_REQUEST for a total that no invoice has."""
    record = replace(as_sent(new), vendor_id=book.vendor_id, sequence=sequence, received_at=at)
    with localcontext(EXACT):
        computed = computed_total(record.value())
    if computed >= MOST:
        raise _refused(new, computed, f"comes to more than {MOST:f}")
    if computed < 0:
        raise _refused(new, computed, "takes back more than it bills: that is a credit note, to be posted as one")
    stated = computed if new.stated_total is None else new.stated_total
    record = InvoiceRecord(**record.columns() | {"computed_total": computed, "stated_total": stated})
    return _approved(book, record) if settled else matched(book, record)


def as_sent(new: InvoiceAsSent) -> InvoiceRecord:
    """What the vendor wrote, and nothing of ours yet."""
    return InvoiceRecord(
        id=new_id(),
        vendor_id="",
        sequence=0,
        number=new.number,
        po_reference=new.po_reference,
        date=new.date,
        currency=new.currency,
        lines=[_line(no, line) for no, line in enumerate(new.lines, start=1)],
        tax=new.tax,
        freight=new.freight,
        allowance=new.allowance,
        rounding=new.rounding,
        prepaid=new.prepaid,
        sums=None if new.sums is None else _amounts(new.sums.model_dump(exclude_none=True)),
        taxes=None if new.taxes is None else [part.model_dump(mode="json") for part in new.taxes],
        stated_total=NOTHING if new.stated_total is None else new.stated_total,
        computed_total=NOTHING,
        matched_po=None,
        status=str(Status.RECEIVED),
        version=1,
        approved_amount=None,
        credits=NOTHING,
        payable=NOTHING,
        counts={},
        cleared=[],
        received_at=clock.now(),
    )


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


def _line(no: int, line: NewInvoiceLine) -> dict[str, Any]:
    """What the document does not say stands only where it matters: a plain line has neither base nor adjustment."""
    with localcontext(EXACT):
        computed = cents(line.quantity * line.price / line.base_quantity + line.adjustment)
    net = computed if line.net is None else line.net
    more = {} if line.base_quantity == ONE else {"base_quantity": quantity_text(line.base_quantity)}
    more |= {} if line.adjustment == NOTHING else {"adjustment": money_text(line.adjustment)}
    more |= {} if line.net is None else {"stated_net": money_text(line.net)}
    return {
        "no": no,
        "po_line": line.po_line,
        "item": line.item,
        "description": line.description,
        "unit": line.unit,
        "quantity": quantity_text(line.quantity),
        "price": price_text(line.price),
        "net": money_text(net),
    } | more


def _amounts(values: Mapping[str, Decimal]) -> dict[str, str]:
    return {name: money_text(amount) for name, amount in values.items()}


def _refused(new: InvoiceAsSent, total: Decimal, why: str) -> Problem:
    return Problem(
        400,
        "INVALID_REQUEST",
        f"invoice: {new.number[:60]} {why}",
        field="invoice",
        number=new.number,
        total=f"{total:f}",
    )
