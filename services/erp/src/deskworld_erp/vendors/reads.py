"""Reads of vendors."""

from typing import Any

from sqlalchemy import Row, func, literal_column, select
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.tables import json_object
from deskworld_erp.vendors.tables import bank_accounts, bank_changes, vendors

_ASKED = json_object(
    id=bank_changes.c.id,
    requested_from=bank_changes.c.requested_from,
    proposed_by=bank_changes.c.proposed_by,
    proposed_at=bank_changes.c.proposed_at,
    status=bank_changes.c.status,
)
_CHANGE = (
    select(_ASKED).where(bank_changes.c.account_id == bank_accounts.c.id).correlate(bank_accounts).scalar_subquery()
)
_ACCOUNT = json_object(
    id=bank_accounts.c.id,
    account=bank_accounts.c.account,
    routing=bank_accounts.c.routing,
    status=bank_accounts.c.status,
    change=_CHANGE,
)
_ACCOUNTS = (
    select(
        func.coalesce(
            func.json_agg(aggregate_order_by(_ACCOUNT, bank_accounts.c.position)), literal_column("'[]'::json")
        )
    )
    .where(bank_accounts.c.vendor_id == vendors.c.id)
    .correlate(vendors)
    .scalar_subquery()
)
VENDOR = select(vendors, _ACCOUNTS.label("bank_accounts"))


def change_unverified(vendor_id: Any) -> Any:
    """SQL: whether the vendor has an account that nobody verified yet."""
    return (
        select(bank_accounts.c.id)
        .where(bank_accounts.c.vendor_id == vendor_id, bank_accounts.c.status == "PENDING_VERIFICATION")
        .exists()
    )


async def vendor(connection: AsyncConnection, vendor_id: str) -> dict[str, Any] | None:
    row = (await connection.execute(VENDOR.where(vendors.c.id == vendor_id))).first()
    return None if row is None else vendor_view(row)


async def vendors_after(
    connection: AsyncConnection, after: str, *, limit: int, name: str | None
) -> list[dict[str, Any]]:
    """By id. `name`: a part of it, in whatever case."""
    wanted = VENDOR.where(vendors.c.id > after)
    if name is not None:
        wanted = wanted.where(vendors.c.name.icontains(name, autoescape=True))
    return [vendor_view(row) for row in await connection.execute(wanted.order_by(vendors.c.id).limit(limit))]


def vendor_view(row: Row[Any]) -> dict[str, Any]:
    ids = [row.id]
    for account in row.bank_accounts:
        ids.append(account["id"])
        if account["change"] is not None:
            ids.append(account["change"]["id"])
    return {
        "id": row.id,
        "name": row.name,
        "terms": row.terms,
        "contacts": row.contacts,
        "bank_accounts": row.bank_accounts,
        "identifiers": row.identifiers,
        "ids": ids,
    }
