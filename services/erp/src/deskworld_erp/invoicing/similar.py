"""Which earlier invoices the match holds against an invoice."""

from decimal import Decimal
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.fields import money_text
from deskworld_erp.invoicing.reads import INVOICE
from deskworld_erp.invoicing.record import InvoiceRecord, other_invoice
from deskworld_erp.invoicing.rules.duplicates import similar
from deskworld_erp.invoicing.rules.values import Status, Tolerances
from deskworld_erp.invoicing.tables import invoices

_OF = select(invoices.c.vendor_id)


async def similar_invoices(
    connection: AsyncConnection, invoice_id: str, tolerances: Tolerances
) -> list[dict[str, Any]] | None:
    """Oldest first; None when there is no such invoice."""
    vendor = _OF.where(invoices.c.id == invoice_id).scalar_subquery()
    rows = {row.id: row for row in await connection.execute(INVOICE.where(invoices.c.vendor_id == vendor))}
    if invoice_id not in rows:
        return None
    record = InvoiceRecord.of(rows[invoice_id])
    others = tuple(other_invoice(row, under_duplicate=False) for row in rows.values() if row.id != invoice_id)
    found = similar(
        record.value(), Decimal(record.computed_total), others, window_days=tolerances.duplicate_window_days
    )
    return [{"invoice": _shown(rows[one.other.id]), "why": str(one.why)} for one in found]


def _shown(row: Any) -> dict[str, Any]:
    return {
        "id": row.id,
        "number": row.number,
        "date": row.date.isoformat(),
        "total": money_text(row.computed_total),
        "currency": row.currency,
        "status": str(Status(row.status)),
        "po_reference": row.po_reference,
        "ids": [row.id, row.number],
    }
