"""What the ERP says happened to a vendor's records."""

from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.audit.chain import audit_row, verify_rows
from deskworld_erp.audit.tables import audit
from deskworld_erp.crediting.reads import credit_notes_of
from deskworld_erp.events.reads import published_for
from deskworld_erp.invoicing.reads import invoices_of_vendor
from deskworld_erp.invoicing.tables import commands
from deskworld_erp.purchasing.reads import ORDER, order_view
from deskworld_erp.purchasing.tables import orders
from deskworld_erp.receiving.reads import receipt_view
from deskworld_erp.receiving.tables import receipts
from deskworld_erp.vendors.reads import vendor


async def witness(connection: AsyncConnection, vendor_id: str) -> dict[str, Any] | None:
    """Each list is complete. `connection` gives one snapshot for all of them. None: no such vendor."""
    found = await vendor(connection, vendor_id)
    if found is None:
        return None
    order_rows = await connection.execute(ORDER.where(orders.c.vendor_id == vendor_id).order_by(orders.c.id))
    receipt_rows = await connection.execute(
        select(receipts).where(receipts.c.vendor_id == vendor_id).order_by(receipts.c.id)
    )
    command_rows = await connection.execute(
        select(commands).where(commands.c.vendor_id == vendor_id).order_by(commands.c.at)
    )
    audit_rows = (
        await connection.execute(select(audit).where(audit.c.vendor_id == vendor_id).order_by(audit.c.seq))
    ).all()
    chain = await verify_rows(connection, audit_rows)
    return {
        "vendor": found,
        "orders": [order_view(row) for row in order_rows],
        "receipts": [receipt_view(row) for row in receipt_rows],
        "invoices": await invoices_of_vendor(connection, vendor_id),
        "credit_notes": await credit_notes_of(connection, vendor_id),
        "commands": [_command(row) for row in command_rows],
        "audit": [audit_row(row) for row in audit_rows],
        "outbox": await published_for(connection, vendor_id),
        "chain": {"ok": chain.ok, "broken": chain.broken},
    }


def _command(row: Row[Any]) -> dict[str, Any]:
    return {
        "key": row.key,
        "action": row.action,
        "invoice_id": row.invoice_id,
        "change_id": row.change_id,
        "outcome": row.outcome,
        "code": row.code,
        "by": row.by,
    }
