"""Vendors, where they are paid, and who asked to change that."""

from sqlalchemy import Column, ForeignKey, Index, Integer, Interval, Table, Text
from sqlalchemy.dialects.postgresql import JSONB

from deskworld_erp.tables import document, metadata, moment, text_id, words

vendors = Table(
    "vendors",
    metadata,
    text_id(),
    words("name"),
    words("terms"),
    document("contacts"),
    Column("identifiers", JSONB, nullable=False, server_default="[]"),  # [{scheme, value}]: what documents name it by
    moment("at"),
    Column("office_ahead", Interval, nullable=False, server_default="0"),  # how far its office clock is ahead
)
Index(
    "vendors_identifiers",
    vendors.c.identifiers,
    postgresql_using="gin",
    postgresql_ops={"identifiers": "jsonb_path_ops"},
)

bank_accounts = Table(
    "bank_accounts",
    metadata,
    text_id(),
    Column("vendor_id", Text, ForeignKey("vendors.id"), nullable=False),
    Column("position", Integer, nullable=False),
    words("account"),
    words("routing"),
    words("status"),
    moment("at"),
)
Index("bank_accounts_vendor", bank_accounts.c.vendor_id)

bank_changes = Table(
    "bank_changes",
    metadata,
    text_id(),
    Column("vendor_id", Text, ForeignKey("vendors.id"), nullable=False),
    Column("account_id", Text, ForeignKey("bank_accounts.id"), nullable=False, unique=True),
    words("requested_from"),
    words("proposed_by"),
    moment("proposed_at"),
    words("status"),
    document("call_back", nullable=True),
    document("confirmation", nullable=True),
    document("rejection", nullable=True),
)
Index("bank_changes_vendor", bank_changes.c.vendor_id)
