"""What lists of invoices and exceptions can be narrowed to."""

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Query

from deskworld_erp.fields import Id, Short
from deskworld_erp.invoicing.reads import Wanted
from deskworld_erp.invoicing.rules.values import Reason, Status

Ids = Annotated[list[Id] | None, Query(max_length=100, alias="id", description="these; what is not there is left out")]
OfVendor = Annotated[Id | None, Query()]


@dataclass(frozen=True, slots=True)
class WantedInvoices:
    ids: Ids = None
    vendor_id: OfVendor = None
    status: Annotated[Status | None, Query()] = None
    number: Annotated[Short | None, Query(description="as the vendor wrote it")] = None
    po_number: Annotated[Short | None, Query(description="the order that it cites or is matched with")] = None

    def narrowed(self) -> Wanted:
        return Wanted(
            ids=tuple(self.ids or ()),
            vendor_id=self.vendor_id,
            status=self.status,
            number=self.number,
            po_number=self.po_number,
        )


@dataclass(frozen=True, slots=True)
class WantedExceptions:
    ids: Ids = None
    vendor_id: OfVendor = None
    invoice_id: Annotated[Id | None, Query()] = None
    status: Annotated[Literal["OPEN", "RESOLVED"] | None, Query()] = None
    reason: Annotated[Reason | None, Query()] = None

    def narrowed(self) -> Wanted:
        return Wanted(
            ids=tuple(self.ids or ()),
            vendor_id=self.vendor_id,
            invoice_id=self.invoice_id,
            status=self.status,
            reason=self.reason,
        )
