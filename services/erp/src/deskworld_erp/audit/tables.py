"""The audit: append-only, one chain over everything; the head is where the next row is hung on."""

from sqlalchemy import BigInteger, Column, Index, SmallInteger, Table

from deskworld_erp.tables import document, metadata, moment, words

audit = Table(
    "audit",
    metadata,
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    moment("at"),
    words("entity_kind"),
    words("entity_id"),
    words("vendor_id"),
    words("action"),
    words("client"),
    document("user", nullable=True),
    words("decision_id", nullable=True),
    document("detail"),
    words("prev_hash"),
    words("hash"),
)
Index("audit_entity", audit.c.entity_id, audit.c.seq)
Index("audit_vendor", audit.c.vendor_id, audit.c.seq)

audit_head = Table(
    "audit_head",
    metadata,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("seq", BigInteger, nullable=False),
    words("hash"),
)
