"""Seeds a situation: everything is worked out in memory, then written in one transaction with its events."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Table
from sqlalchemy.exc import IntegrityError

from deskworld_erp.erp import Erp
from deskworld_erp.events.messages import Cause, event
from deskworld_erp.faults.commands import fault_of
from deskworld_erp.faults.commands import write as write_faults
from deskworld_erp.faults.rules import Fault
from deskworld_erp.invoicing.arriving import received
from deskworld_erp.invoicing.book import Book
from deskworld_erp.invoicing.idempotency import Request, Stored, once
from deskworld_erp.invoicing.matching import Change, publish_exceptions, raised_row
from deskworld_erp.invoicing.tables import exceptions, invoices
from deskworld_erp.items.commands import units_row
from deskworld_erp.items.tables import item_units
from deskworld_erp.posting import Actor, Posting
from deskworld_erp.purchasing.commands import order_lines
from deskworld_erp.purchasing.reads import order_value, received_of
from deskworld_erp.purchasing.tables import order_revisions, orders
from deskworld_erp.receiving.commands import receipt_row, units_of
from deskworld_erp.receiving.tables import receipts
from deskworld_erp.situations.schemas import NewBankChange, SeededInvoice, SeededOrder, SeededReceipt, Situation
from deskworld_erp.vendors.tables import bank_accounts, bank_changes, vendors
from deskworld_kit.answers import to_bytes
from deskworld_kit.chain import digest
from deskworld_kit.identity import Principal
from deskworld_kit.ids import new_id
from deskworld_kit.problems import Problem

_TABLES = (
    vendors,
    item_units,
    bank_accounts,
    bank_changes,
    orders,
    order_revisions,
    receipts,
    invoices,
    exceptions,
)
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
    orders: dict[str, "_Order"] = field(default_factory=dict)
    packs: dict[str, list[dict[str, str]]] = field(default_factory=dict)

    def row(self, table: Table, **values: Any) -> None:
        self.rows.setdefault(table, []).append(values)

    def record(self, ref: str, kind: str, record_id: str, number: str | None = None, *more: str) -> None:
        forms = [record_id, *([number] if number else []), *more]
        self.records[ref] = {"kind": kind, "id": record_id, "number": number, "forms": forms}


async def seed(
    erp: Erp, situation: Situation, office_routes: Sequence[str], *, key: str | None, instance: str
) -> Stored:
    """The same situation again under the same key gets the stored answer: whoever did not hear it may ask again.

    Raises Problem: INVALID_REQUEST for refs that do not fit together, ALREADY_EXISTS for ids and numbers in use.
    """
    faults = _checked([situation], office_routes)
    seeded = False

    async def decide(posting: Posting) -> Stored:
        nonlocal seeded
        (said,) = await _write(erp, posting, [situation], faults)
        seeded = True
        return Stored(201, to_bytes(said))

    with _in_use([situation]):
        if key is None:
            async with erp.posting(STAGE) as posting:
                stored = await decide(posting)
        else:
            asked = digest(situation.model_dump(mode="json"))
            request = Request(CALLER, key, asked, "seed", instance)
            stored = await once(erp, request, None, decide)
    if seeded:
        erp.faults.take(faults)
    return stored


async def seed_all(erp: Erp, situations: Sequence[Situation], office_routes: Sequence[str]) -> list[dict[str, Any]]:
    """All of them or none. Their events stand in the feed, and no receiver is sent them. Raises Problem as `seed`."""
    faults = _checked(situations, office_routes)
    with _in_use(situations):
        async with erp.posting(STAGE) as posting:
            posting.announced = False
            said = await _write(erp, posting, situations, faults)
    erp.faults.take(faults)
    return said


def _checked(situations: Sequence[Situation], office_routes: Sequence[str]) -> list[Fault]:
    faults = [fault for situation in situations for fault in _faults(situation, office_routes)]
    for situation in situations:
        _refs_fit(situation)
    return faults


async def _write(
    erp: Erp, posting: Posting, situations: Sequence[Situation], faults: Sequence[Fault]
) -> list[dict[str, Any]]:
    drawn = [_draw(erp, posting, situation) for situation in situations]
    for table in _TABLES:
        rows = [row for one in drawn for row in one.rows.get(table, ())]
        if rows:
            await posting.connection.execute(table.insert(), rows)
    await write_faults(posting.connection, faults)
    return [{"vendor_id": one.vendor_id, "records": one.records, "exceptions": one.raised} for one in drawn]


@contextmanager
def _in_use(situations: Sequence[Situation]) -> Iterator[None]:
    try:
        yield
    except IntegrityError as error:
        raise Problem(
            409,
            "ALREADY_EXISTS",
            "A vendor's id or an order's number is in use; nothing was seeded.",
            constraint=getattr(getattr(error.orig, "__cause__", None), "constraint_name", None),
            vendor_ids=[situation.vendor.id for situation in situations],
            orders=[order.number for situation in situations for order in situation.orders][:100],
        ) from error


def _faults(situation: Situation, office_routes: Sequence[str]) -> list[Fault]:
    vendor_id = situation.vendor.id
    return [fault_of(one, vendor_id, everybody=one.scope == "all", routes=office_routes) for one in situation.faults]


def _draw(erp: Erp, posting: Posting, situation: Situation) -> _Drawn:
    """Order of effect: vendor, orders, receipts, bank changes, invoices."""
    vendor_id = situation.vendor.id
    drawn = _Drawn(posting, vendor_id, Book(vendor_id, erp.tolerances))
    _vendor(drawn, situation)
    for order in situation.orders:
        _order(drawn, order)
    for receipt in situation.receipts:
        _receipt(drawn, receipt)
    for order_row in drawn.orders.values():
        lines = [row["lines"] for row in drawn.rows.get(receipts, []) if row["po_number"] == order_row.number]
        drawn.book.received[order_row.number] = received_of(drawn.book.orders[order_row.number], lines)
    for change in situation.bank_changes:
        _bank_change(drawn, change, len(drawn.rows.get(bank_accounts, [])))
    for sequence, invoice in enumerate(situation.invoices, start=1):
        _invoice(drawn, sequence, invoice)
    return drawn


def _vendor(drawn: _Drawn, situation: Situation) -> None:
    vendor = situation.vendor
    contacts = [contact.model_dump(mode="json") for contact in vendor.contacts]
    identifiers = [one.model_dump() for one in vendor.identifiers]
    set_up = {"name": vendor.name, "terms": vendor.terms, "contacts": contacts, "identifiers": identifiers}
    drawn.row(vendors, id=vendor.id, at=drawn.posting.at, **set_up)
    for item in vendor.items:
        row = units_row(item.item, item.units)
        drawn.packs[row["item"]] = row["units"]
        drawn.row(item_units, vendor_id=vendor.id, at=drawn.posting.at, **row)
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
    packs: dict[str, list[dict[str, str]]]


def _order(drawn: _Drawn, new: SeededOrder) -> None:
    order = _Order(new_id(), new.number, new.currency, order_lines(new.lines), drawn.packs)
    drawn.orders[new.ref] = order
    drawn.book.orders[new.number] = order_value(order)
    posted: dict[str, Any] = {
        "vendor_id": drawn.vendor_id,
        "buyer": new.buyer,
        "date": new.date,
        "lines": order.lines,
        "revision": 1,
        "at": drawn.posting.at,
    }
    drawn.row(
        orders,
        id=order.id,
        number=new.number,
        currency=new.currency,
        **posted,
    )
    drawn.row(order_revisions, order_id=order.id, posted_by=None, **posted)
    drawn.record(new.ref, "order", order.id, new.number)
    drawn.posting.audit("order", order.id, drawn.vendor_id, "post", {"number": new.number, "buyer": new.buyer})


def _receipt(drawn: _Drawn, new: SeededReceipt) -> None:
    order = drawn.orders[new.order]
    row = receipt_row(
        order_id=order.id,
        po_number=order.number,
        vendor_id=drawn.vendor_id,
        day=new.date,
        lines=new.lines,
        units=units_of(order.lines),
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


def _invoice(drawn: _Drawn, sequence: int, new: SeededInvoice) -> None:
    record = received(drawn.book, sequence, new, at=drawn.posting.at, settled=new.settled is not None)
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
