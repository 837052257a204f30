"""Seeds a situation: everything is worked out in memory, then written in one transaction with its events."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Table
from sqlalchemy.exc import IntegrityError

from deskworld_erp.answers import to_bytes
from deskworld_erp.erp import Erp
from deskworld_erp.events.messages import Cause, event
from deskworld_erp.fields import price_text, quantity_text
from deskworld_erp.invoicing.book import Book
from deskworld_erp.invoicing.idempotency import Request, Stored, claim, keep
from deskworld_erp.invoicing.matching import Change, publish_exceptions, raised_row
from deskworld_erp.invoicing.tables import exceptions, invoices
from deskworld_erp.posting import Actor, Posting
from deskworld_erp.purchasing.reads import accepted_of, order_value
from deskworld_erp.purchasing.tables import orders
from deskworld_erp.receiving.commands import receipt_row
from deskworld_erp.receiving.tables import receipts
from deskworld_erp.situations.received import received
from deskworld_erp.situations.schemas import NewBankChange, NewInvoice, NewOrder, SeededReceipt, Situation
from deskworld_erp.vendors.tables import bank_accounts, bank_changes, vendors
from deskworld_kit.chain import digest
from deskworld_kit.identity import Principal
from deskworld_kit.ids import new_id
from deskworld_kit.problems import Problem

STAGE = Actor(client="stage", user=None)
CALLER = Principal(subject="stage", username="stage", client="stage")


@dataclass(slots=True)
class _Drawn:
    """What is going to be written."""

    posting: Posting
    vendor_id: str
    book: Book
    rows: dict[Table, list[dict[str, Any]]] = field(default_factory=dict)
    records: dict[str, dict[str, Any]] = field(default_factory=dict)
    raised: list[dict[str, Any]] = field(default_factory=list)
    orders: dict[str, Any] = field(default_factory=dict)

    def row(self, table: Table, **values: Any) -> None:
        self.rows.setdefault(table, []).append(values)

    def record(self, ref: str, kind: str, record_id: str, number: str | None = None, *more: str) -> None:
        forms = [record_id, *([number] if number else []), *more]
        self.records[ref] = {"kind": kind, "id": record_id, "number": number, "forms": forms}


async def seed(erp: Erp, situation: Situation, *, key: str | None, instance: str) -> Stored:
    """The same situation again under the same key gets the stored answer: whoever did not hear it may ask again.

    Raises Problem: INVALID_REQUEST for refs that do not fit together, ALREADY_EXISTS for ids and numbers in use.
    """
    _refs_fit(situation)
    asked = digest(situation.model_dump(mode="json"))
    request = None if key is None else Request(CALLER, key, asked, "seed", situation.vendor.id, instance)
    try:
        async with erp.posting(STAGE) as posting:
            stored = await claim(posting.connection, request) if request else None
            if stored is not None:
                return stored
            drawn = _draw(erp, posting, situation)
            for table in (vendors, bank_accounts, bank_changes, orders, receipts, invoices, exceptions):
                if table in drawn.rows:
                    await posting.connection.execute(table.insert(), drawn.rows[table])
            said = {"vendor_id": drawn.vendor_id, "records": drawn.records, "exceptions": drawn.raised}
            stored = Stored(201, to_bytes(said))
            if request:
                await keep(posting.connection, request, stored)
    except IntegrityError as error:
        constraint = getattr(getattr(error.orig, "__cause__", None), "constraint_name", None)
        raise Problem(
            409,
            "ALREADY_EXISTS",
            "The vendor's id or an order's number is in use; nothing was seeded.",
            constraint=constraint,
            vendor_id=situation.vendor.id,
            orders=[order.number for order in situation.orders],
        ) from error
    return stored


def _draw(erp: Erp, posting: Posting, situation: Situation) -> _Drawn:
    """Order of effect: vendor, orders, receipts, bank changes, invoices."""
    vendor_id = situation.vendor.id
    drawn = _Drawn(posting, vendor_id, Book(vendor_id, erp.tolerances))
    _vendor(drawn, situation)
    for order in situation.orders:
        _order(drawn, order)
    for receipt in situation.receipts:
        _receipt(drawn, receipt)
    for number, order_row in drawn.orders.items():
        lines = [row["lines"] for row in drawn.rows.get(receipts, []) if row["po_number"] == order_row.number]
        drawn.book.accepted[drawn.orders[number].number] = accepted_of(lines)
    for change in situation.bank_changes:
        _bank_change(drawn, change, len(drawn.rows.get(bank_accounts, [])))
    for sequence, invoice in enumerate(situation.invoices, start=1):
        _invoice(drawn, sequence, invoice)
    return drawn


def _vendor(drawn: _Drawn, situation: Situation) -> None:
    vendor = situation.vendor
    contacts = [contact.model_dump(mode="json") for contact in vendor.contacts]
    drawn.row(vendors, id=vendor.id, name=vendor.name, terms=vendor.terms, contacts=contacts, at=drawn.posting.at)
    for position, account in enumerate(vendor.bank_accounts):
        drawn.row(
            bank_accounts,
            id=new_id(),
            vendor_id=vendor.id,
            position=position,
            account=account.account,
            routing=account.routing,
            status=account.status,
            at=drawn.posting.at,
        )
        drawn.book.bank_change_unverified |= account.status == "PENDING_VERIFICATION"
    drawn.record("vendor", "vendor", vendor.id)
    drawn.posting.audit("vendor", vendor.id, vendor.id, "set", {"contacts": len(contacts)})


@dataclass(frozen=True, slots=True)
class _Order:
    id: str
    number: str
    currency: str
    lines: list[dict[str, Any]]


def _order(drawn: _Drawn, new: NewOrder) -> None:
    lines = [
        {
            "no": no,
            "item": line.item,
            "description": line.description,
            "unit": line.unit,
            "quantity": quantity_text(line.quantity),
            "price": price_text(line.price),
        }
        for no, line in enumerate(new.lines, start=1)
    ]
    order = _Order(new_id(), new.number, new.currency, lines)
    drawn.orders[new.ref] = order
    drawn.book.orders[new.number] = order_value(order)
    drawn.row(
        orders,
        id=order.id,
        number=new.number,
        vendor_id=drawn.vendor_id,
        buyer=new.buyer,
        currency=new.currency,
        date=new.date,
        lines=lines,
        revision=1,
        at=drawn.posting.at,
    )
    drawn.record(new.ref, "order", order.id, new.number)
    drawn.posting.audit("order", order.id, drawn.vendor_id, "post", {"number": new.number, "buyer": new.buyer})


def _receipt(drawn: _Drawn, new: SeededReceipt) -> None:
    order = drawn.orders[new.order]
    row = receipt_row(
        order_id=order.id, po_number=order.number, vendor_id=drawn.vendor_id, day=new.date, lines=new.lines
    )
    drawn.row(receipts, **row, posted_by=None, at=drawn.posting.at)
    drawn.record(new.ref, "receipt", row["id"])
    detail = {"po_number": order.number, "lines": row["lines"]}
    drawn.posting.audit("receipt", row["id"], drawn.vendor_id, "post", detail)


def _bank_change(drawn: _Drawn, new: NewBankChange, position: int) -> None:
    account_id, change_id, at = new_id(), new_id(), drawn.posting.at
    drawn.row(
        bank_accounts,
        id=account_id,
        vendor_id=drawn.vendor_id,
        position=position,
        account=new.account,
        routing=new.routing,
        status="PENDING_VERIFICATION",
        at=at,
    )
    drawn.row(
        bank_changes,
        id=change_id,
        vendor_id=drawn.vendor_id,
        account_id=account_id,
        requested_from=new.requested_from,
        proposed_by=new.proposed_by,
        proposed_at=at,
        status="PROPOSED",
    )
    drawn.book.bank_change_unverified = True
    drawn.record(new.ref, "bank-change", change_id, None, account_id)
    detail = {"account_id": account_id, "requested_from": new.requested_from, "proposed_by": new.proposed_by}
    drawn.posting.audit("bank-change", change_id, drawn.vendor_id, "propose", detail)
    drawn.posting.events.append(
        event(
            "vendor.bank-change.proposed",
            subject=change_id,
            key=drawn.vendor_id,
            vendor_id=drawn.vendor_id,
            at=at,
            data={"vendor_id": drawn.vendor_id, "change_id": change_id, "status": "PROPOSED"},
        )
    )


def _invoice(drawn: _Drawn, sequence: int, new: NewInvoice) -> None:
    record = received(drawn.book, sequence, new, at=drawn.posting.at)
    change = Change(None, record)
    drawn.book.note(record)
    drawn.row(invoices, **record.columns())
    drawn.record(new.ref, "invoice", record.id, record.number)
    drawn.posting.audit("invoice", record.id, drawn.vendor_id, "receive", change.detail())
    for one in change.raised:
        drawn.row(exceptions, **raised_row(drawn.posting, record, one))
        drawn.raised.append(
            {"id": one["id"], "reason": one["reason"], "invoice": new.ref, "invoice_id": record.id}
            | {"amount": one["amount"], "currency": one["currency"]}
        )
    publish_exceptions(drawn.posting, change, Cause("invoice", record.id))


def _refs_fit(situation: Situation) -> None:
    refs = Counter(["vendor"])
    for records in (situation.orders, situation.receipts, situation.invoices, situation.bank_changes):
        refs.update(one.ref for one in records)
    twice = sorted(ref for ref, times in refs.items() if times > 1)
    if twice:
        raise _invalid("ref", "each record has a ref of its own; the vendor's is 'vendor'", refs=twice)
    by_ref = {order.ref: order for order in situation.orders}
    for receipt in situation.receipts:
        order = by_ref.get(receipt.order)
        if order is None:
            raise _invalid("receipts", f"{receipt.ref} names no order of this situation", order=receipt.order)
        missing = sorted({line.line for line in receipt.lines} - set(range(1, len(order.lines) + 1)))
        if missing:
            raise _invalid("receipts", f"{receipt.ref} names lines that its order has not", lines=missing)


def _invalid(name: str, what: str, **values: Any) -> Problem:
    return Problem(400, "INVALID_REQUEST", f"{name}: {what}", field=name, **values)
