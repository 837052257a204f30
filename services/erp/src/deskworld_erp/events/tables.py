"""The outbox, who receives what stands in it, and what became of each event at each of them."""

from deskworld_erp.tables import metadata
from deskworld_kit.outbox import deliveries_table, outbox_table, receivers_table

outbox = outbox_table(metadata)
receivers = receivers_table(metadata)
deliveries = deliveries_table(metadata)

WEBHOOK = "webhook"
"""The receiver that the settings name: the desk."""
