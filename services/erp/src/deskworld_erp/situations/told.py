"""The part of a vendor's witness that is about one invoice or one order."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.invoicing.tables import invoices
from deskworld_erp.purchasing.tables import orders

Witness = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Subject:
    """One of the three is given."""

    vendor_id: str | None = None
    invoice_id: str | None = None
    po_number: str | None = None

    @property
    def kind(self) -> str:
        return "vendor" if self.vendor_id else "invoice" if self.invoice_id else "order"

    @property
    def named(self) -> dict[str, str]:
        given = {"vendor_id": self.vendor_id, "invoice_id": self.invoice_id, "po_number": self.po_number}
        return {name: value for name, value in given.items() if value is not None}

    async def vendor(self, connection: AsyncConnection) -> str | None:
        if self.vendor_id is not None:
            return self.vendor_id
        wanted = select(invoices.c.vendor_id).where(invoices.c.id == self.invoice_id)
        if self.po_number is not None:
            wanted = select(orders.c.vendor_id).where(orders.c.number == self.po_number)
        found: str | None = (await connection.execute(wanted)).scalar()
        return found


def about(told: Witness, subject: Subject) -> dict[str, Any]:
    """An invoice with the order that it is on and its goods; an order with its goods and all invoices on it."""
    if subject.vendor_id is not None:
        return dict(told)
    bills = [one for one in told["invoices"] if _concerns(one, subject)]
    numbers = {subject.po_number} if subject.po_number else {one["matched_po"] for one in bills}
    ordered = [one for one in told["orders"] if one["number"] in numbers]
    received = [one for one in told["receipts"] if one["po_number"] in numbers]
    bill_ids = {one["id"] for one in bills}
    credited = [one for one in told.get("credit_notes", ()) if one.get("invoice_id") in bill_ids]
    ids = {form for one in (*bills, *ordered, *received, *credited) for form in (one["id"], *_parts(one))}
    shown = {
        "orders": ordered,
        "receipts": received,
        "invoices": bills,
        "commands": [one for one in told["commands"] if one["invoice_id"] in bill_ids],
        "audit": [row for row in told["audit"] if row["entity"]["id"] in ids],
        "outbox": [one for one in told["outbox"] if one["subject"] in ids],
    }
    return {**told, **shown} | ({"credit_notes": credited} if "credit_notes" in told else {})


def _concerns(invoice: Mapping[str, Any], subject: Subject) -> bool:
    if subject.invoice_id is not None:
        return bool(invoice["id"] == subject.invoice_id)
    return subject.po_number in {invoice["matched_po"], invoice["po_reference"]}


def _parts(record: Mapping[str, Any]) -> list[str]:
    """An invoice's events name its exceptions too."""
    return [one["id"] for one in record.get("exceptions", ())]
