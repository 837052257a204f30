"""Which earlier invoices an invoice may repeat."""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from deskworld_erp.invoicing.rules.numbers import near_number, same_number
from deskworld_erp.invoicing.rules.values import Invoice, OtherInvoice


class Resemblance(StrEnum):
    SAME_NUMBER = "same-number-key"
    SAME_ORDER_AND_TOTAL = "same-order-and-total"
    NEAR_NUMBER = "near-number"


@dataclass(frozen=True, slots=True)
class Similar:
    other: OtherInvoice
    why: Resemblance


def similar(
    invoice: Invoice, total: Decimal, others: tuple[OtherInvoice, ...], *, window_days: int
) -> tuple[Similar, ...]:
    """Earlier invoices that are not rejected and look like this one, oldest first."""
    earlier = sorted(
        (one for one in others if one.sequence < invoice.sequence and not one.rejected), key=lambda one: one.sequence
    )
    return tuple(
        Similar(one, why)
        for one in earlier
        if (why := _resemblance(invoice, total, one, window_days=window_days)) is not None
    )


def _resemblance(invoice: Invoice, total: Decimal, other: OtherInvoice, *, window_days: int) -> Resemblance | None:
    if same_number(invoice.number, other.number):
        return Resemblance.SAME_NUMBER
    if total != other.total or invoice.currency != other.currency:
        return None
    same_order = invoice.order_number is not None and invoice.order_number == other.order_number
    if same_order and abs((invoice.date - other.date).days) <= window_days:
        return Resemblance.SAME_ORDER_AND_TOTAL
    return Resemblance.NEAR_NUMBER if near_number(invoice.number, other.number) else None
