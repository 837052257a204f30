"""Invoices as sent and what is ours of them, exceptions, holds, commands by key, authority."""

from typing import Any

from sqlalchemy import (
    Column,
    Date,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Numeric,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from deskworld_erp.tables import amount, document, metadata, moment, text_id, words


def _charge(name: str) -> Column[Any]:
    return Column(name, Numeric(20, 2), nullable=False, server_default="0")


invoices = Table(
    "invoices",
    metadata,
    text_id(),
    Column("vendor_id", Text, ForeignKey("vendors.id"), nullable=False),
    Column("sequence", Integer, nullable=False),
    # as sent, never filled in or corrected
    words("number"),
    words("po_reference", nullable=True),
    Column("date", Date, nullable=False),
    words("currency"),
    document("lines"),
    amount("tax"),
    amount("freight"),
    amount("stated_total"),
    _charge("allowance"),
    _charge("rounding"),
    _charge("prepaid"),
    document("sums", nullable=True),  # totals that it states beside its parts
    document("taxes", nullable=True),  # [{category, rate, taxable, tax}]
    # ours
    amount("computed_total"),
    words("matched_po", nullable=True),
    words("status"),
    Column("version", Integer, nullable=False),
    amount("approved_amount", nullable=True),
    amount("credits"),
    amount("payable"),
    document("counts"),  # what it takes of each PO line while it is live
    Column("credited", JSONB(none_as_null=True), nullable=False, server_default="{}"),  # per line, by credit notes
    Column("notes", JSONB(none_as_null=True), nullable=False, server_default="[]"),  # what holds only nearly
    document("cleared"),  # earlier invoices of which a controller said that this one repeats none
    moment("received_at"),
    UniqueConstraint("vendor_id", "sequence", name="invoices_vendor_sequence"),
)
Index("invoices_matched_po", invoices.c.matched_po)

exceptions = Table(
    "exceptions",
    metadata,
    text_id(),
    Column("invoice_id", Text, ForeignKey("invoices.id"), nullable=False),
    Column("vendor_id", Text, ForeignKey("vendors.id"), nullable=False),
    words("reason"),
    words("summary"),
    document("lines"),
    amount("amount"),
    words("currency"),
    words("status"),
    Column("masked", JSONB(none_as_null=True), nullable=False),
    moment("raised_at"),
    moment("resolved_at", nullable=True),
)
Index("exceptions_invoice", exceptions.c.invoice_id)
Index("exceptions_status", exceptions.c.status, exceptions.c.id)
Index(
    "exceptions_one_open_per_reason",
    exceptions.c.invoice_id,
    exceptions.c.reason,
    unique=True,
    postgresql_where=text("status = 'OPEN'"),
)

holds = Table(
    "holds",
    metadata,
    text_id(),
    Column("exception_id", Text, ForeignKey("exceptions.id"), nullable=False),
    Column("invoice_id", Text, ForeignKey("invoices.id"), nullable=False),
    words("why"),
    words("by"),
    moment("since"),
    moment("until", nullable=True),
    moment("released_at", nullable=True),
    words("released_by", nullable=True),
    words("released_why", nullable=True),
)
Index("holds_invoice", holds.c.invoice_id)
Index(
    "holds_one_standing",
    holds.c.exception_id,
    unique=True,
    postgresql_where=text("released_at IS NULL"),
)
Index("holds_due", holds.c.until, postgresql_where=text("released_at IS NULL AND until IS NOT NULL"))

commands = Table(
    "commands",
    metadata,
    words("caller"),
    words("key"),
    words("request"),  # digest of what was asked
    words("action"),
    words("invoice_id", nullable=True),
    words("change_id", nullable=True),  # of a bank change
    words("vendor_id", nullable=True),
    document("by"),
    moment("at"),
    words("outcome", nullable=True),
    words("code", nullable=True),
    Column("version", Integer),
    Column("status", Integer),
    Column("body", LargeBinary),
    PrimaryKeyConstraint("caller", "key", name="commands_pkey"),
)
Index("commands_key", commands.c.key)
Index("commands_vendor", commands.c.vendor_id)

askings = Table(
    "askings",
    metadata,
    Column("invoice_id", Text, ForeignKey("invoices.id", ondelete="CASCADE"), nullable=False),
    words("action"),
    words("username"),
    moment("at"),
    PrimaryKeyConstraint("invoice_id", "action", "username", name="askings_pkey"),
)
"""Who did what to an invoice that somebody else has to decide on."""

authority_grants = Table(
    "authority_grants",
    metadata,
    words("username"),
    words("role"),
    document("limits", nullable=True),  # per currency; null = without limit
    PrimaryKeyConstraint("username", "role", name="authority_grants_pkey"),
)
