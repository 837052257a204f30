"""A vendor's book: everything that the match of its invoices looks at, read at once and kept up to date in memory."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ARRAY, Select, Text, any_, bindparam, case, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.invoicing.reads import EXCEPTIONS
from deskworld_erp.invoicing.record import InvoiceRecord, other_invoice
from deskworld_erp.invoicing.rules.numbers import near_number, same_number
from deskworld_erp.invoicing.rules.receipts import Received
from deskworld_erp.invoicing.rules.values import CHECKED_AGAIN, Inputs, Order, OtherInvoice, Reason, Tolerances
from deskworld_erp.invoicing.tables import exceptions, invoices
from deskworld_erp.purchasing.reads import ORDER, order_value, received_of
from deskworld_erp.purchasing.tables import orders
from deskworld_erp.vendors.reads import change_unverified
from deskworld_erp.vendors.tables import vendors
from deskworld_kit.lean import fixed

_UNDER_DUPLICATE = (
    select(exceptions.c.id)
    .where(
        exceptions.c.invoice_id == invoices.c.id, exceptions.c.status == "OPEN", exceptions.c.reason == Reason.DUPLICATE
    )
    .correlate(invoices)
    .exists()
    .label("under_duplicate")
)


_OF_VENDOR: Any = bindparam("vendor_id", type_=Text)
_MATCHED = or_(*(invoices.c.status == status for status in sorted(CHECKED_AGAIN)))
_UNVERIFIED = fixed(select(change_unverified(_OF_VENDOR)))
# of an invoice that is decided the others see a few columns: what is long is read only where it is matched
_LONG = ("lines", "taxes", "notes", "credited", "cleared")
_COLUMNS = tuple(case((_MATCHED, one)).label(one.name) if one.name in _LONG else one for one in invoices.c)
_INVOICES = fixed(
    select(
        *_COLUMNS,
        case((_MATCHED, EXCEPTIONS)).label("exceptions"),
        _UNDER_DUPLICATE,
        change_unverified(_OF_VENDOR).label("unverified"),
    )
    .where(invoices.c.vendor_id == _OF_VENDOR)
    .order_by(invoices.c.sequence)
)
_NUMBERED = orders.c.number == any_(bindparam("numbers", type_=ARRAY(Text)))
_ORDERS = fixed(ORDER.where(orders.c.vendor_id == _OF_VENDOR, _NUMBERED))
_LATER = fixed(
    select(
        select(invoices.c.id)
        .where(invoices.c.vendor_id == _OF_VENDOR, invoices.c.sequence > bindparam("sequence"), _MATCHED)
        .exists()
    )
)


@dataclass(slots=True)
class Book:
    """`records`: the invoices that are still matched, in order of arrival."""

    vendor_id: str
    tolerances: Tolerances
    bank_change_unverified: bool = False
    orders: dict[str, Order] = field(default_factory=dict)
    received: dict[str, Received] = field(default_factory=dict)
    others: dict[str, OtherInvoice] = field(default_factory=dict)
    records: dict[str, InvoiceRecord] = field(default_factory=dict)

    def inputs(self, record: InvoiceRecord) -> Inputs:
        order = self.orders.get(record.order_number or "")
        received = Received() if order is None else self.received.get(order.number, Received())
        return Inputs(
            invoice=record.value(),
            order=order,
            accepted=received.accepted,
            others=tuple(other for other in self.others.values() if other.id != record.id),
            bank_change_unverified=self.bank_change_unverified,
            tolerances=self.tolerances,
            returned=received.returned,
            unreadable=received.unreadable,
        )

    def note(self, record: InvoiceRecord) -> None:
        """Keeps an invoice as it is now."""
        self.records[record.id] = record
        self.others[record.id] = record.seen_by_others()

    def on_order(self, number: str) -> list[str]:
        return [record.id for record in self.records.values() if record.order_number == number]

    def after(self, other: OtherInvoice) -> Iterator[str]:
        """Later invoices that look at this one: on its order, or with a number like its own."""
        for record in self.records.values():
            if record.sequence <= other.sequence:
                continue
            on_order = other.order_number is not None and record.order_number == other.order_number
            number = record.number
            if on_order or same_number(number, other.number) or near_number(number, other.number):
                yield record.id


def lock_statement(vendor_id: Any) -> Select[Any]:
    """All writers on a vendor's records queue here, so that no input of a match changes while it runs.

    `vendor_id`: SQL for the id. Run it with `Posting.lock`, which goes on in the vendor's office time.
    """
    return select(vendors.c.id, vendors.c.office_ahead).where(vendors.c.id == vendor_id).with_for_update(key_share=True)


async def load_book(
    connection: AsyncConnection, vendor_id: str, tolerances: Tolerances, *, orders_too: Iterable[str] = ()
) -> Book:
    """Under the vendor's lock, where it is going to be acted on."""
    mine = {"vendor_id": vendor_id}
    book = Book(vendor_id, tolerances)
    rows = (await connection.execute(_INVOICES, mine)).all()
    for row in rows:
        if row.status in CHECKED_AGAIN:
            book.records[row.id] = InvoiceRecord.of(row)
        book.others[row.id] = other_invoice(row, under_duplicate=row.under_duplicate)
    unverified = rows[0].unverified if rows else (await connection.execute(_UNVERIFIED, mine)).scalar_one()
    book.bank_change_unverified = unverified
    numbers = {record.order_number for record in book.records.values()} | set(orders_too)
    for row in await connection.execute(_ORDERS, mine | {"numbers": sorted(filter(None, numbers))}):
        book.orders[row.number] = order_value(row)
        book.received[row.number] = received_of(book.orders[row.number], row.received)
    return book


async def any_later(connection: AsyncConnection, vendor_id: str, sequence: int) -> bool:
    """Whether an invoice that arrived later is still matched."""
    return bool((await connection.execute(_LATER, {"vendor_id": vendor_id, "sequence": sequence})).scalar_one())
