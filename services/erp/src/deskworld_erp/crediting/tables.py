"""Credit notes: documents of their own, each on one invoice, and never netted in silence."""

from sqlalchemy import Column, Date, ForeignKey, Index, Table, Text, UniqueConstraint

from deskworld_erp.tables import amount, document, metadata, moment, text_id, words

credit_notes = Table(
    "credit_notes",
    metadata,
    text_id(),
    Column("vendor_id", Text, ForeignKey("vendors.id"), nullable=False),
    Column("invoice_id", Text, ForeignKey("invoices.id"), nullable=False),
    words("number"),
    words("number_key", nullable=True),  # null: a number without letters and digits equals nothing
    Column("date", Date, nullable=False),
    words("currency"),
    amount("amount"),
    document("lines"),  # [{line, quantity}]: what is billed no longer, in the invoice line's unit
    document("posted_by", nullable=True),
    moment("at"),
    UniqueConstraint("invoice_id", "number_key", name="credit_notes_once"),
)
Index("credit_notes_vendor", credit_notes.c.vendor_id)
