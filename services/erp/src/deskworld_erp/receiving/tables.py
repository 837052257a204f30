"""Goods receipts. A reversal is its own document, the exact negative."""

from sqlalchemy import Column, Date, ForeignKey, Index, Table, Text

from deskworld_erp.tables import document, metadata, moment, text_id, words

receipts = Table(
    "receipts",
    metadata,
    text_id(),
    Column("order_id", Text, ForeignKey("orders.id"), nullable=False),
    words("po_number"),
    Column("vendor_id", Text, ForeignKey("vendors.id"), nullable=False),
    Column("date", Date, nullable=False),
    document("lines"),
    Column("reverses", Text, ForeignKey("receipts.id"), unique=True),
    document("posted_by", nullable=True),
    moment("at"),
)
Index("receipts_order", receipts.c.order_id)
Index("receipts_vendor", receipts.c.vendor_id)
