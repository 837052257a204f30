"""What the decision table asks about an invoice, computed from the ERP's documents. Pure. What could not be read is
`"unknown"`, never a guess."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

from deskworld_desk.world import CaseNow, Json
from deskworld_desk.worlds.ap.records import Invoice, InvoiceLine, Order, OrderLine, Similar, Vendor
from deskworld_kit.money import fmt_money

UNKNOWN = "unknown"
_SIX_PLACES = Decimal("0.000001")


@dataclass(frozen=True, slots=True)
class Read:
    """What was read for a case; None where it could not be, and `order` also where there is none."""

    invoice: Invoice
    order: Order | None = None
    vendor: Vendor | None = None
    similar: tuple[Similar, ...] | None = None
    history: tuple[Invoice, ...] | None = None


def resolution_input(case: CaseNow, read: Read) -> Json:
    """The document that `ap.resolution` is asked with."""
    invoice = read.invoice
    return {
        "case": {"id": case.id, "reason": case.reason},
        "facts": {
            "open": [{"id": one.id, "reason": one.reason, "held": one.held} for one in invoice.open],
            "masked": [finding.id for one in invoice.open for finding in one.masked],
            "largest_line_variance": largest_line_variance(invoice, read.order),
            "payable": fmt_money(invoice.payable),
            "original": original(read.similar),
            "duplicate_cover": duplicate_cover(invoice, read.order, read.history),
            "substitution": substitution(case, invoice, read.order),
            "bank_change": bank_change(read.vendor),
            "letter": case.letter,
        },
        "declined": [{"action": one["action"], "how": one["how"]} for one in case.declined],
    }


def largest_line_variance(invoice: Invoice, order: Order | None) -> str:
    """Percent over the order's price, rounded up; substituted lines are excepted."""
    if order is None:
        return UNKNOWN
    found: list[Decimal] = []
    for line in invoice.lines:
        ordered = order.line(line.po_line)
        if ordered is None or ordered.item != line.item:
            continue
        if ordered.price <= 0 or not _counted_alike(line, ordered):
            return UNKNOWN
        found.append((line.price - ordered.price) * 100 / ordered.price)
    return _percent(max(found)) if found else UNKNOWN


def original(similar: tuple[Similar, ...] | None) -> str:
    if similar is None:
        return UNKNOWN
    return "found" if any(one.why == "same-number-key" for one in similar) else "none"


def duplicate_cover(invoice: Invoice, order: Order | None, history: tuple[Invoice, ...] | None) -> str:
    """Whether what was accepted covers this invoice beside all earlier live ones on the same order."""
    if order is None or history is None:
        return UNKNOWN
    earlier = [one for one in history if _earlier_and_live(one, invoice, order)]
    if any(line.po_line is None for line in invoice.lines):
        return UNKNOWN
    seen: set[str] = set()
    for no in {line.po_line for line in invoice.lines}:
        ordered = order.line(no)
        if ordered is None or not all(_counted_alike(line, ordered) for line in _of(no, invoice, *earlier)):
            return UNKNOWN
        before = sum((_billed(one, no) for one in earlier), Decimal(0))
        left = ordered.accepted - before
        seen.add("all" if left >= _billed(invoice, no) else "none" if left <= 0 else "part")
    if len(seen) == 1:
        return seen.pop()
    return "part" if seen else UNKNOWN


def substitution(case: CaseNow, invoice: Invoice, order: Order | None) -> Json:
    """The vendor's reason counts once it is established; the price that it states is compared with the billed one."""
    known = "known" if case.facts.get("substitution_reason") else "unknown"
    stated = case.facts.get("stated_price")
    if stated is None:
        return {"reason": known, "price": "absent"}
    billed = {line.price for line in substituted_lines(invoice, order)}
    return {"reason": known, "price": "as-billed" if billed == {Decimal(str(stated))} else "other"}


def substituted_lines(invoice: Invoice, order: Order | None) -> tuple[InvoiceLine, ...]:
    if order is None:
        return ()
    return tuple(
        line
        for line in invoice.lines
        if (ordered := order.line(line.po_line)) is not None and ordered.item != line.item
    )


def bank_change(vendor: Vendor | None) -> str:
    if vendor is None:
        return UNKNOWN
    return "pending" if vendor.pending else "none"


def _earlier_and_live(one: Invoice, invoice: Invoice, order: Order) -> bool:
    return (
        one.sequence < invoice.sequence
        and one.matched_po == order.number
        and one.status != "REJECTED"
        and not any(found.reason == "DUPLICATE" for found in one.open)
    )


def _counted_alike(line: InvoiceLine, ordered: OrderLine) -> bool:
    """Whether quantities and prices may be compared as they stand: what its units hold of each other is the ERP's."""
    return (line.unit, line.base_quantity) == (ordered.unit, ordered.base_quantity)


def _of(no: int | None, *invoices: Invoice) -> list[InvoiceLine]:
    return [line for invoice in invoices for line in invoice.lines if line.po_line == no]


def _billed(invoice: Invoice, no: int | None) -> Decimal:
    """Of an order's line, less what was credited."""
    lines = [line for line in invoice.lines if line.po_line == no]
    return sum((line.quantity - invoice.credited.get(str(line.no), Decimal(0)) for line in lines), Decimal(0))


def _percent(value: Decimal) -> str:
    text = f"{value.quantize(_SIX_PLACES, rounding=ROUND_CEILING):f}"
    whole, _, places = text.partition(".")
    return f"{whole}.{places.rstrip('0').ljust(2, '0')}"
