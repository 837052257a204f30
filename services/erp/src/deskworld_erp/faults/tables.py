"""Faults of the office door, as the stage put them there."""

from sqlalchemy import Boolean, Column, Float, ForeignKey, Index, Integer, Table, Text

from deskworld_erp.tables import metadata, moment, text_id, words

faults = Table(
    "faults",
    metadata,
    text_id(),
    Column("vendor_id", Text, ForeignKey("vendors.id")),  # of whose situation it is
    Column("everybody", Boolean, nullable=False),
    words("kind"),
    words("method", nullable=True),
    words("route", nullable=True),
    Column("rate", Float, nullable=False),
    Column("calls", Integer),
    words("seed"),
    Column("milliseconds", Integer),
    Column("status", Integer),
    Column("retry_after", Integer),
    moment("at"),
)
Index("faults_vendor", faults.c.vendor_id)
