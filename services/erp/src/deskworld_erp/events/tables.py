"""The outbox."""

from deskworld_erp.tables import metadata
from deskworld_kit.outbox import outbox_table

outbox = outbox_table(metadata)
