"""The documents of a situation, as the ERP's stage door takes them. Pure."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from deskworld.errors import ScenarioInvalid
from deskworld.values.realm import holders
from deskworld.worlds.ap import names
from deskworld.worlds.ap.naming import Names
from deskworld.worlds.ap.seed import Invoice, InvoiceLine, OrderLine, Receipt, Seed, Worded

CENT = Decimal("0.01")
RECEIVED_AFTER = 10
ORIGINAL_AFTER = 15
ARRIVES_AFTER = 60
Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Drafting:
    """The scenario's name for errors, its seed with every value fixed, and what things are called."""

    scenario: str
    seed: Seed
    called: Names

    def ordered(self, line: int) -> OrderLine:
        """Raises ScenarioInvalid when a line bills or receives an order line that is not there."""
        lines = self.seed.order.lines if self.seed.order else ()
        if not 1 <= line <= len(lines):
            raise ScenarioInvalid(
                f"{self.scenario}: seed: line {line} is not on the order", next_step=f"it has {len(lines)}"
            )
        return lines[line - 1]


def situation(of: Drafting) -> Document:
    seed = of.seed
    earlier = [invoice(of, seed.earlier, "original")] if seed.earlier else []
    return {
        "vendor": _vendor(of),
        "orders": _orders(of),
        "receipts": [
            {
                "ref": f"receipt-{nth}",
                "order": "order",
                "date": str(of.called.ordered_on + timedelta(days=RECEIVED_AFTER + nth)),
                "lines": _received(of, receipt),
            }
            for nth, receipt in enumerate(seed.receipts, start=1)
        ],
        "invoices": [*earlier, invoice(of, seed.invoice, "invoice")],
        "bank_changes": _bank_changes(of),
        "faults": [_fault(of, nth) for nth in range(len(seed.faults))],
    }


def arriving(of: Drafting) -> Document | None:
    """What a clerk posts when the rest of the goods has come."""
    if of.seed.arrives is None:
        return None
    day = of.called.ordered_on + timedelta(days=ARRIVES_AFTER)
    return {
        "po_number": of.called.po,
        "date": str(day),
        "lines": [_came(of, line.line, line.quantity, line.share, rest=True) for line in of.seed.arrives.lines],
    }


def accepted(of: Drafting, line: int) -> Decimal:
    """What had come of an order line when the invoice came."""
    came = (one for receipt in of.seed.receipts for one in _received(of, receipt) if one["line"] == line)
    return sum((Decimal(one["quantity"]) for one in came), Decimal(0))


def invoice(of: Drafting, sent: Invoice, ref: str) -> Document:
    called = of.called
    later = sent.days or (ORIGINAL_AFTER if ref == "original" else called.billed_after)
    document = {
        "ref": ref,
        "number": called.original if ref == "original" else _number(of, sent),
        "po_reference": called.po if sent.cites == "order" else called.unknown_po,
        "date": str(called.ordered_on + timedelta(days=later)),
        "currency": of.seed.currency,
        "lines": [_line(of, line) for line in sent.lines],
        "tax": "0.00",
        "freight": money(sent.freight),
        "stated_total": None,
    }
    return {**document, "settled": "APPROVED"} if ref == "original" else document


def money(value: Decimal) -> str:
    return f"{value.quantize(CENT, rounding=ROUND_HALF_UP):f}"


def _number(of: Drafting, sent: Invoice) -> str:
    match sent.number:
        case Worded(reads=reads):
            return _filled(of, reads)
        case "as-original":
            return of.called.again
    return of.called.own


def _filled(of: Drafting, text: str) -> str:
    try:
        return text.format_map(of.called.in_texts)
    except (KeyError, ValueError) as error:
        known = ", ".join(of.called.in_texts)
        raise ScenarioInvalid(
            f"{of.scenario}: seed: {text!r} names what a document does not know: {error}",
            next_step=f"a document may name {known}",
        ) from error


def _vendor(of: Drafting) -> Document:
    called = of.called
    trusted = "2021-01-11" if of.seed.bank_account == "long-active" else "2024-02-05"
    return {
        "id": called.vendor_id,
        "name": called.vendor,
        "terms": "NET30",
        "contacts": [
            {"name": called.contact, "phone": "+1 555 0142", "mail": called.address, "trusted_since": trusted},
        ],
        "bank_accounts": [{"account": f"US{_digits(called, 18)}", "routing": "021000021", "status": "ACTIVE"}],
    }


def _orders(of: Drafting) -> list[Document]:
    if of.seed.order is None:
        return []
    lines = [
        {
            "item": line.item,
            "description": _described(of, line.item, line.description),
            "unit": line.unit,
            "quantity": str(line.quantity),
            "price": money(line.price),
        }
        for line in of.seed.order.lines
    ]
    return [
        {
            "ref": "order",
            "number": of.called.po,
            "buyer": of.called.buyer,
            "currency": of.seed.currency,
            "date": str(of.called.ordered_on),
            "lines": lines,
        }
    ]


def _described(of: Drafting, item: str, description: str | None) -> str:
    known = {code: what for one in names.ITEMS.items() for code, what in ((one[0], one[1][0]), one[1][1:])}
    if description is not None:
        return _filled(of, description)
    if item not in known:
        raise ScenarioInvalid(
            f"{of.scenario}: seed: nobody knows what {item!r} is", next_step="give the line a `description`"
        )
    return known[item]


def _received(of: Drafting, receipt: Receipt) -> list[Document]:
    return [_came(of, line.line, line.quantity, line.share, rest=False) for line in receipt.lines]


def _came(of: Drafting, line: int, quantity: Decimal | None, share: Decimal | None, *, rest: bool) -> Document:
    ordered = of.ordered(line).quantity
    everything = ordered - accepted(of, line) if rest else ordered
    return {"line": line, "quantity": _count(quantity or (ordered * share if share else everything))}


def _count(value: Decimal) -> str:
    return f"{value.normalize():f}"


def _line(of: Drafting, line: InvoiceLine) -> Document:
    if line.line is None:
        item = str(line.item)
        return {
            "po_line": None,
            "item": item,
            "description": _described(of, item, line.description),
            "unit": line.unit or "EA",
            "quantity": str(line.quantity),
            "price": money(line.price or Decimal(0)),
        }
    ordered = of.ordered(line.line)
    price = line.price or ordered.price * (100 + (line.over or 0)) / 100
    quantity = line.quantity or (ordered.quantity * line.share if line.share else ordered.quantity)
    item = _substitute(of, ordered.item) if line.substituted else line.item or ordered.item
    own = ordered.description if item == ordered.item else None
    return {
        "po_line": line.line,
        "item": item,
        "description": _described(of, item, line.description or own),
        "unit": line.unit or ordered.unit,
        "quantity": _count(quantity),
        "price": money(price),
    }


def _substitute(of: Drafting, item: str) -> str:
    if item not in names.ITEMS:
        known = ", ".join(names.ITEMS)
        raise ScenarioInvalid(f"{of.scenario}: seed: {item!r} has no substitute", next_step=f"one of {known} has")
    return names.ITEMS[item][1]


def _bank_changes(of: Drafting) -> list[Document]:
    if of.seed.bank_change is None:
        return []
    return [
        {
            "ref": "bank-change",
            "account": f"DE{_digits(of.called, 20)}",
            "routing": "MARKDEF1100",
            "requested_from": f"billing@{names.slug(of.called.vendor)}-accounts.outside.example",
            "proposed_by": holders("clerk")[0],
        }
    ]


def _fault(of: Drafting, nth: int) -> Document:
    fault = of.seed.faults[nth]
    given = {name: value for name, value in fault.model_dump().items() if value is not None}
    return {**given, "rate": float(fault.rate), "seed": f"{of.called.fault_seed}-{nth}"}


def _digits(called: Names, count: int) -> str:
    return str(int(called.vendor_id.replace("-", ""), 16))[:count]
