"""Purchase orders: as they stand, and each revision as it was posted."""

from sqlalchemy import Column, Date, ForeignKey, Index, Integer, PrimaryKeyConstraint, Table, Text

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

order_revisions = Table(
    "order_revisions",
    metadata,
    Column("order_id", Text, ForeignKey("orders.id"), nullable=False),
    Column("vendor_id", Text, ForeignKey("vendors.id"), nullable=False),
    Column("revision", Integer, nullable=False),
    words("buyer"),
    Column("date", Date, nullable=False),
    document("lines"),
    document("posted_by", nullable=True),
    moment("at"),
    PrimaryKeyConstraint("order_id", "revision", name="order_revisions_pkey"),
)
Index("order_revisions_vendor", order_revisions.c.vendor_id)
