"""Reads of credit notes."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.crediting.tables import credit_notes
from deskworld_erp.fields import money_text
from deskworld_erp.invoicing.tables import invoices


async def credit_note(connection: AsyncConnection, credit_note_id: str) -> dict[str, Any] | None:
    row = (await connection.execute(select(credit_notes).where(credit_notes.c.id == credit_note_id))).first()
    return None if row is None else credit_note_view(row)


async def credit_notes_on(connection: AsyncConnection, invoice_id: str) -> list[dict[str, Any]] | None:
    """In the order in which they were booked; None when there is no such invoice."""
    rows = (
        await connection.execute(
            select(invoices.c.id.label("of"), credit_notes)
            .outerjoin_from(invoices, credit_notes, credit_notes.c.invoice_id == invoices.c.id)
            .where(invoices.c.id == invoice_id)
            .order_by(credit_notes.c.id)
        )
    ).all()
    return [credit_note_view(row) for row in rows if row.id is not None] if rows else None


async def credit_notes_of(connection: AsyncConnection, vendor_id: str) -> list[dict[str, Any]]:
    """The vendor's, in the order in which they were booked."""
    wanted = select(credit_notes).where(credit_notes.c.vendor_id == vendor_id).order_by(credit_notes.c.id)
    return [credit_note_view(row) for row in await connection.execute(wanted)]


def credit_note_view(row: Any) -> dict[str, Any]:
    return {
        "id": row.id,
        "number": row.number,
        "vendor_id": row.vendor_id,
        "invoice_id": row.invoice_id,
        "date": row.date.isoformat(),
        "currency": row.currency,
        "amount": money_text(row.amount),
        "lines": row.lines,
        "ids": [row.id, row.number],
    }
