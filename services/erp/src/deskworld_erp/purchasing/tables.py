"""Purchase orders."""

from sqlalchemy import Column, Date, ForeignKey, Index, Integer, Table, Text

from deskworld_erp.tables import document, metadata, moment, text_id, words

orders = Table(
    "orders",
    metadata,
    text_id(),
    Column("number", Text, nullable=False, unique=True),
    Column("vendor_id", Text, ForeignKey("vendors.id"), nullable=False),
    words("buyer"),
    words("currency"),
    Column("date", Date, nullable=False),
    document("lines"),
    Column("revision", Integer, nullable=False),
    moment("at"),
)
Index("orders_vendor", orders.c.vendor_id)
