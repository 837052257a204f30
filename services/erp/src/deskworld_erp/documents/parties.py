"""Whose a document is, and which invoice a credit note takes back from: by exact identifiers, never by a name."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import literal, or_, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.documents.ubl.document import Document, Named
from deskworld_erp.documents.ubl.refused import DocumentRefused
from deskworld_erp.invoicing.rules.numbers import same_number
from deskworld_erp.invoicing.rules.values import Status
from deskworld_erp.invoicing.tables import exceptions, invoices
from deskworld_erp.vendors.tables import vendors

_SAY_WHICH = "Say vendor_id beside the document, or set this identifier on the vendor (PUT /vendors/{id})."
_UNDER_DUPLICATE = (
    select(exceptions.c.id)
    .where(exceptions.c.invoice_id == invoices.c.id, exceptions.c.status == "OPEN", exceptions.c.reason == "DUPLICATE")
    .correlate(invoices)
    .exists()
)


async def seller_of(connection: AsyncConnection, document: Document, vendor_id: str | None) -> str:
    """The vendor's id. `vendor_id`: what the poster says, which the document may not contradict.

    Raises DocumentRefused.
    """
    named = document.seller
    found = await _named(connection, named)
    if vendor_id is None:
        if len(found) == 1:
            return next(iter(found))
        element = named[0].element if named else "cac:AccountingSupplierParty"
        value = ", ".join(f"{one.scheme} {one.value}" for one in named) or None
        why = "these identifiers name no vendor" if not found else f"these identifiers name {len(found)} vendors"
        raise DocumentRefused(element, value, why, _SAY_WHICH)
    others = {other: one for other, one in found.items() if other != vendor_id}
    contradicted = next(iter(others.values()), None) or await _contradiction(connection, named, vendor_id)
    if vendor_id not in found and contradicted is not None:
        why = f"is not an identifier of vendor {vendor_id}"
        raise DocumentRefused(contradicted.element, contradicted.value, why, "Post it for the vendor that it names.")
    return vendor_id


async def credited_invoice(connection: AsyncConnection, document: Document, vendor_id: str) -> Any:
    """The row of the invoice that the credit note refers to. Raises DocumentRefused."""
    reference = document.credits
    assert reference is not None  # noqa: S101 - the reader refuses a credit note without one
    rows = (
        await connection.execute(
            select(invoices, _UNDER_DUPLICATE.label("under_duplicate"))
            .where(invoices.c.vendor_id == vendor_id)
            .order_by(invoices.c.sequence)
        )
    ).all()
    found = [row for row in rows if row.number == reference.value]
    found = found or [row for row in rows if same_number(row.number, reference.value)]
    live = [row for row in found if row.status != Status.REJECTED and not row.under_duplicate] or found
    if len(live) == 1:
        return live[0]
    why = "this vendor has no such invoice" if not live else f"{len(live)} invoices of this vendor have this number"
    next_step = "Post the invoice first." if not live else "Post the credit note as JSON, with the invoice_id."
    raise DocumentRefused(reference.element, reference.value, why, next_step)


async def _named(connection: AsyncConnection, named: Sequence[Named]) -> dict[str, Named]:
    """Vendors by id, each with an identifier of the document that names it."""
    if not named:
        return {}
    holds = [
        vendors.c.identifiers.contains(literal([{"scheme": one.scheme, "value": one.value}], JSONB)) for one in named
    ]
    rows = (await connection.execute(select(vendors.c.id, vendors.c.identifiers).where(or_(*holds)))).all()
    return {
        row.id: next(one for one in named if {"scheme": one.scheme, "value": one.value} in row.identifiers)
        for row in rows
    }


async def _contradiction(connection: AsyncConnection, named: Sequence[Named], vendor_id: str) -> Named | None:
    """An identifier of the document where the vendor has another one of that scheme."""
    known = (await connection.execute(select(vendors.c.identifiers).where(vendors.c.id == vendor_id))).scalar() or []
    schemes = {one["scheme"] for one in known}
    return next((one for one in named if one.scheme in schemes), None)
