"""Documents as they came, byte for byte, beside what was read from them."""

from sqlalchemy import Column, ForeignKey, Index, LargeBinary, PrimaryKeyConstraint, Table, Text

from deskworld_erp.tables import metadata, moment, words

source_documents = Table(
    "source_documents",
    metadata,
    Column("record_id", Text, primary_key=True),  # of the invoice or credit note that was read from it
    Column("vendor_id", Text, ForeignKey("vendors.id"), nullable=False),
    words("media_type"),
    words("sha256"),
    Column("content", LargeBinary, nullable=False),
    moment("at"),
)
Index("source_documents_vendor", source_documents.c.vendor_id)

posted_keys = Table(
    "posted_keys",
    metadata,
    words("caller"),
    words("key"),
    words("request"),  # digest of what was asked
    Column("body", LargeBinary),  # what was answered
    moment("at"),
    PrimaryKeyConstraint("caller", "key", name="posted_keys_pkey"),
)
