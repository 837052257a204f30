"""What the units of an item hold of each other, as this vendor packs it."""

from sqlalchemy import Column, ForeignKey, PrimaryKeyConstraint, Table, Text

from deskworld_erp.tables import document, metadata, moment, words

item_units = Table(
    "item_units",
    metadata,
    Column("vendor_id", Text, ForeignKey("vendors.id"), nullable=False),
    words("item"),
    document("units"),  # [{unit, quantity, of}]
    moment("at"),
    PrimaryKeyConstraint("vendor_id", "item", name="item_units_pkey"),
)
