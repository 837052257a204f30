"""All tables of the ERP in one place, for migrations."""

from deskworld_erp.audit import tables as _audit
from deskworld_erp.crediting import tables as _crediting
from deskworld_erp.documents import tables as _documents
from deskworld_erp.events import tables as _events
from deskworld_erp.faults import tables as _faults
from deskworld_erp.invoicing import tables as _invoicing
from deskworld_erp.items import tables as _items
from deskworld_erp.purchasing import tables as _purchasing
from deskworld_erp.receiving import tables as _receiving
from deskworld_erp.tables import metadata
from deskworld_erp.vendors import tables as _vendors

SLICES = (_audit, _crediting, _documents, _events, _faults, _invoicing, _items, _purchasing, _receiving, _vendors)

__all__ = ["SLICES", "metadata"]
