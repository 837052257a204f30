"""Booking a credit note: it lowers what may be paid on its invoice, and the invoice is matched again."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal, localcontext
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.dialects.postgresql import insert

from deskworld_erp.crediting.reads import credit_note_view
from deskworld_erp.crediting.tables import credit_notes
from deskworld_erp.documents.authority import may
from deskworld_erp.documents.schemas import CreditAsSent, CreditedLine
from deskworld_erp.erp import Erp
from deskworld_erp.events.messages import Cause
from deskworld_erp.fields import money_text, quantity_text
from deskworld_erp.invoicing.book import Book, load_book, lock_statement
from deskworld_erp.invoicing.matching import (
    Change,
    matched,
    publish_changed,
    publish_exceptions,
    publish_rechecked,
    recheck,
    write,
)
from deskworld_erp.invoicing.reads import INVOICE
from deskworld_erp.invoicing.record import InvoiceRecord, counts_document
from deskworld_erp.invoicing.rules.amounts import EXACT, NO_QUANTITY
from deskworld_erp.invoicing.rules.authority import Duty
from deskworld_erp.invoicing.rules.lines import in_unit_of
from deskworld_erp.invoicing.rules.numbers import number_key
from deskworld_erp.invoicing.rules.values import CHECKED_AGAIN
from deskworld_erp.invoicing.tables import invoices
from deskworld_erp.posting import Posting
from deskworld_kit.answers import not_found
from deskworld_kit.ids import new_id
from deskworld_kit.problems import Problem

_LOCK = lock_statement(select(invoices.c.vendor_id).where(invoices.c.id == bindparam("invoice_id")).scalar_subquery())


async def book_credit_note(erp: Erp, posting: Posting, invoice_id: str, new: CreditAsSent) -> dict[str, Any]:
    """Raises Problem: NOT_FOUND, NOT_AUTHORISED, INVALID_REQUEST, INVALID_AMOUNT, ALREADY_EXISTS."""
    if await posting.lock(_LOCK, {"invoice_id": invoice_id}) is None:
        raise not_found("invoice", invoice_id=invoice_id)
    await may(erp, posting, Duty.POST_DOCUMENT)
    row = (await posting.connection.execute(INVOICE.where(invoices.c.id == invoice_id))).one()
    before = InvoiceRecord.of(row)
    _fits(before, new)
    stored = await _keep(posting, before, new)
    if stored is None:
        detail = "A credit note with this number is booked on this invoice."
        raise Problem(409, "ALREADY_EXISTS", detail, number=new.number, invoice_id=invoice_id)
    detail_of = {
        "invoice_id": invoice_id,
        "number": new.number,
        "amount": money_text(new.amount),
        "lines": stored.lines,
    }
    posting.audit("credit-note", stored.id, before.vendor_id, "book", detail_of)
    await _apply(erp, posting, before, new, Cause("credit-note", stored.id))
    return credit_note_view(stored)


def _fits(invoice: InvoiceRecord, new: CreditAsSent) -> None:
    if new.currency != invoice.currency:
        raise _invalid(
            f"currency: the invoice is in {invoice.currency}, the credit note in {new.currency}",
            field="currency",
            value=new.currency,
            invoice=invoice.currency,
        )
    left = invoice.computed_total - invoice.credits
    if new.amount > left:
        detail = f"On this invoice {left:f} can be credited, not {new.amount:f}."
        values: dict[str, Any] = {
            "amount": f"{new.amount:f}",
            "most": f"{left:f}",
            "credits": f"{invoice.credits:f}",
        }
        raise Problem(422, "INVALID_AMOUNT", detail, **values)
    billed = {line["no"]: Decimal(line["quantity"]) for line in invoice.lines}
    for number, quantity in credited_after(invoice, new.lines).items():
        most = billed.get(int(number))
        if most is None:
            raise _invalid(f"lines: the invoice has no line {number}", field="lines", line=int(number))
        if Decimal(quantity) > max(NO_QUANTITY, most):
            values = {"line": int(number), "credited": quantity, "billed": quantity_text(most)}
            raise _invalid(f"lines: more of line {number} would be credited than is billed", field="lines", **values)


def _invalid(detail: str, **values: Any) -> Problem:
    return Problem(400, "INVALID_REQUEST", detail, **values)


async def _keep(posting: Posting, invoice: InvoiceRecord, new: CreditAsSent) -> Any:
    key = number_key(new.number)
    written = insert(credit_notes).values(
        id=new_id(),
        vendor_id=invoice.vendor_id,
        invoice_id=invoice.id,
        number=new.number,
        number_key="\x1f".join(key) if key else None,
        date=new.date,
        currency=new.currency,
        amount=new.amount,
        lines=[{"line": line.line, "quantity": quantity_text(line.quantity)} for line in new.lines],
        posted_by=posting.actor.user,
        at=posting.at,
    )
    written = written.on_conflict_do_nothing(constraint="credit_notes_once")
    return (await posting.connection.execute(written.returning(credit_notes))).first()


async def _apply(erp: Erp, posting: Posting, before: InvoiceRecord, new: CreditAsSent, cause: Cause) -> None:
    """One new version of the invoice: matched again while it is open, else with fewer goods that count."""
    credited = replace(
        before,
        credits=before.credits + new.amount,
        credited=credited_after(before, new.lines),
        version=before.version + 1,
    )
    book = await load_book(posting.connection, before.vendor_id, erp.tolerances, orders_too=_orders(before))
    is_open = before.status in CHECKED_AGAIN
    now = matched(book, credited) if is_open else replace(credited, counts=_counts(book, before, new.lines))
    change = Change(before, now)
    await write(posting, change)
    detail = change.detail() | {"credits": money_text(now.credits), "cause": cause.shown()}
    posting.audit("invoice", now.id, now.vendor_id, "credit", detail)
    publish_exceptions(posting, change, cause)
    publish_rechecked(posting, now, cause)
    publish_changed(posting, now, "credit", None)
    was = book.others[before.id]
    if is_open:
        book.note(now)
    else:
        book.others[now.id] = now.seen_by_others()
    if book.others[now.id] != was:
        await recheck(posting, book, {*book.after(was), *book.after(book.others[now.id])}, cause)


def credited_after(invoice: InvoiceRecord, lines: list[CreditedLine]) -> dict[str, str]:
    """Per line of the invoice, with what these lines take back added."""
    total = {number: Decimal(quantity) for number, quantity in invoice.credited.items()}
    for line in lines:
        total[str(line.line)] = total.get(str(line.line), NO_QUANTITY) + line.quantity
    return {number: quantity_text(quantity) for number, quantity in sorted(total.items())}


def _orders(invoice: InvoiceRecord) -> list[str]:
    return [] if invoice.order_number is None else [invoice.order_number]


def _counts(book: Book, before: InvoiceRecord, lines: list[CreditedLine]) -> Mapping[str, str]:
    """What a decided invoice takes of its order, less what these lines take back; never less than nothing."""
    order = book.orders.get(before.order_number or "")
    counts = {int(number): Decimal(quantity) for number, quantity in before.counts.items()}
    if order is None:
        return before.counts
    ordered = {line.no: line for line in order.lines}
    billed = {line["no"]: line for line in before.lines}
    with localcontext(EXACT):
        for line in lines:
            target = ordered.get(billed[line.line]["po_line"] or 0)
            back = None if target is None else in_unit_of(target, line.quantity, billed[line.line]["unit"])
            if target is not None and back is not None:
                counts[target.no] = max(NO_QUANTITY, counts.get(target.no, NO_QUANTITY) - back)
    return counts_document(counts)
