"""An invoice under its vendor's lock, with everything that decides whether a command may be carried out."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy import bindparam, func, literal_column, select
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.invoicing.reads import INVOICE
from deskworld_erp.invoicing.record import InvoiceRecord
from deskworld_erp.invoicing.rules.amounts import NOTHING
from deskworld_erp.invoicing.rules.authority import Grant, Role
from deskworld_erp.invoicing.rules.commands import (
    Caller,
    Command,
    InvoiceState,
    OpenException,
    OrderStanding,
    Situation,
)
from deskworld_erp.invoicing.rules.values import Reason, Status
from deskworld_erp.invoicing.tables import askings, authority_grants, invoices
from deskworld_erp.posting import Posting
from deskworld_erp.purchasing.reads import order_row, payable_of
from deskworld_erp.purchasing.tables import orders
from deskworld_erp.tables import json_object
from deskworld_erp.vendors.tables import bank_accounts, vendors
from deskworld_kit.identity import Principal
from deskworld_kit.lean import fixed

_NONE: Any = literal_column("'[]'::json")
_AHEAD = (
    select(vendors.c.office_ahead).where(vendors.c.id == invoices.c.vendor_id).correlate(invoices).scalar_subquery()
).label("office_ahead")
_BUYER = (
    select(orders.c.buyer).where(orders.c.number == invoices.c.matched_po).correlate(invoices).scalar_subquery()
).label("buyer")
_ORDER_CURRENCY = (
    select(orders.c.currency).where(orders.c.number == invoices.c.matched_po).correlate(invoices).scalar_subquery()
).label("order_currency")
_UNVERIFIED = (
    select(func.coalesce(func.json_agg(aggregate_order_by(bank_accounts.c.id, bank_accounts.c.id)), _NONE))
    .where(bank_accounts.c.vendor_id == invoices.c.vendor_id, bank_accounts.c.status == "PENDING_VERIFICATION")
    .correlate(invoices)
    .scalar_subquery()
    .label("unverified")
)
_GRANTS = (
    select(
        func.coalesce(
            func.json_agg(json_object(role=authority_grants.c.role, limits=authority_grants.c.limits)),
            _NONE,
        )
    )
    .where(authority_grants.c.username == bindparam("username"))
    .scalar_subquery()
    .label("grants")
)
_ASKED = (
    select(func.coalesce(func.json_agg(func.json_build_array(askings.c.action, askings.c.username)), _NONE))
    .where(askings.c.invoice_id == invoices.c.id)
    .correlate(invoices)
    .scalar_subquery()
    .label("asked")
)
_INVOICE = fixed(
    INVOICE.add_columns(_AHEAD, _BUYER, _ORDER_CURRENCY, _UNVERIFIED, _GRANTS, _ASKED).where(
        invoices.c.id == bindparam("invoice_id")
    )
)
_GRANTED = fixed(select(_GRANTS))


@dataclass(frozen=True, slots=True)
class Locked:
    record: InvoiceRecord
    situation: Situation


async def locked_invoice(
    posting: Posting, invoice_id: str, who: Principal, command: Command, *, enforce: bool
) -> Locked | None:
    """None: there was no such invoice when the key was taken, and with it its vendor's lock (`idempotency.once`)."""
    if not posting.vendor_locked:
        return None
    connection = posting.connection
    row = (await connection.execute(_INVOICE, {"invoice_id": invoice_id, "username": who.username})).one()
    record = InvoiceRecord.of(row)
    posting.locked(record.vendor_id, row.office_ahead)
    against = None
    if command.against_po is not None:
        found = await order_row(connection, command.against_po, vendor_id=record.vendor_id)
        if found is not None:
            against = OrderStanding(found.number, found.buyer, found.currency, payable_of(found))
    grants = grants_of(row.grants) if enforce else None
    caller = Caller(who.username, who.is_person, grants)
    return Locked(record, Situation(command, _state(record, row), against, caller, now=posting.at))


def grants_of(found: Any) -> tuple[Grant, ...]:
    """`found`: `[{role, limits}]` as stored."""
    return tuple(
        Grant(
            Role(one["role"]),
            None if one["limits"] is None else {name: Decimal(limit) for name, limit in one["limits"].items()},
        )
        for one in found
    )


async def grants(connection: AsyncConnection, username: str) -> tuple[Grant, ...]:
    return grants_of((await connection.execute(_GRANTED, {"username": username})).scalar_one())


def _state(record: InvoiceRecord, row: Any) -> InvoiceState:
    matched = None
    if row.buyer is not None and record.matched_po is not None:
        # what could be paid against it is asked only of an order that a command names
        matched = OrderStanding(record.matched_po, row.buyer, row.order_currency, NOTHING)
    return InvoiceState(
        status=Status(record.status),
        version=record.version,
        currency=record.currency,
        computed_total=record.computed_total,
        stated_total=record.stated_total,
        credits=record.credits,
        payable=record.payable,
        matched=matched,
        open=tuple(
            OpenException(
                id=one["id"],
                reason=Reason(one["reason"]),
                hold_id=one["holds"][0]["id"] if one["holds"] else None,
                masked=frozenset(masked["id"] for masked in one["masked"]),
                held_by=one["holds"][0]["by"] if one["holds"] else None,
            )
            for one in record.open
        ),
        bank_change_unverified=bool(row.unverified),
        unverified_accounts=tuple(row.unverified),
        asked=frozenset((action, username) for action, username in row.asked),
    )
