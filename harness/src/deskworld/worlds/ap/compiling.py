"""An accounts-payable seed becomes what the ERP's stage door is given, and everything that follows from it. Pure."""

import random
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from pydantic import BaseModel

from deskworld.errors import ScenarioInvalid
from deskworld.values.case import Part
from deskworld.values.realm import holders
from deskworld.values.scenario import Scenario
from deskworld.world import Compiled
from deskworld.worlds.ap import names
from deskworld.worlds.ap.seed import Invoice, InvoiceLine, Seed

CENT = Decimal("0.01")
NAMESPACE = uuid.UUID("6f6b7c3e-0f0e-5c1a-9a52-3d1a2f6b8e10")
RECORDS = ("orders", "receipts", "invoices", "bank_changes")
FIRST_DAY = date(2026, 3, 2)


@dataclass(frozen=True, slots=True)
class Names:
    """Who and what this case calls things. All drawn, but what must be unique in a stack, which carries the tag."""

    vendor: str
    vendor_id: str
    contact: str
    address: str
    buyer: str
    po: str
    unknown_po: str
    number: str
    original_number: str
    ordered_on: date


def compile_ap(scenario: Scenario, seed: BaseModel, rng: random.Random, tag: str) -> Compiled:
    """Raises ScenarioInvalid when a line bills an order line that is not there."""
    if not isinstance(seed, Seed):
        raise TypeError(f"the seed of {scenario.name} is not one of accounts payable")
    called = _names(rng, tag)
    invoice = _invoice(scenario.name, seed, seed.invoice, called, "invoice")
    situation = _situation(scenario.name, seed, called, invoice)
    return Compiled(
        subject_id=called.vendor_id,
        situation=situation,
        refs=frozenset({"vendor"} | {one["ref"] for group in RECORDS for one in situation[group]}),
        raises=seed.raises,
        follow=seed.raises[0],
        words=_words(seed, called, invoice),
        people={"buyer": Part(identity=called.buyer), "vendor": Part(identity=called.address)},
        roles=_roles(called.buyer),
    )


def _names(rng: random.Random, tag: str) -> Names:
    serial = rng.randint(101, 989)
    prefix = rng.choice(("INV", "RE", "F", "SI"))
    original, again = rng.choice(
        (
            (f"{prefix}-{serial:05d}", f"{prefix} {serial}"),
            (f"{prefix}{serial:05d}", f"{prefix.lower()}-{serial}"),
            (f"{prefix}-{serial}", f"{prefix}/{serial:06d}"),
        )
    )
    domain = f"v-{tag}.vendors.deskworld.example"
    return Names(
        vendor=rng.choice(names.VENDORS),
        vendor_id=str(uuid.uuid5(NAMESPACE, tag)),
        contact=rng.choice(names.VENDOR_PEOPLE),
        address=f"ap@{domain}",
        buyer=rng.choice(holders("buyer")),
        po=f"PO-{tag.upper()}",
        unknown_po=f"PO-{rng.randint(10000, 99999)}",  # digits alone: no order that a case seeds is called so
        number=again,
        original_number=original,
        ordered_on=FIRST_DAY + timedelta(days=rng.randint(0, 120)),
    )


def _roles(buyer: str) -> Callable[[str], tuple[str, str | None]]:
    def role(word: str) -> tuple[str, str | None]:
        if word == "order-buyer":
            return "buyer", buyer
        if word not in {"clerk", "ap-manager", "controller"}:
            raise ScenarioInvalid(
                f"by: {word!r} is nobody who decides", next_step="order-buyer, clerk, ap-manager or controller"
            )
        return word, None

    return role


def _situation(name: str, seed: Seed, called: Names, invoice: dict[str, Any]) -> dict[str, Any]:
    earlier = [_invoice(name, seed, seed.earlier, called, "original")] if seed.earlier else []
    return {
        "vendor": _vendor(called, seed),
        "orders": _orders(seed, called),
        "receipts": [
            {
                "ref": f"receipt-{nth}",
                "order": "order",
                "date": str(called.ordered_on + timedelta(days=10 + nth)),
                "lines": [
                    {"line": line.line, "quantity": str(line.quantity or _ordered(name, seed, line.line).quantity)}
                    for line in receipt.lines
                ],
            }
            for nth, receipt in enumerate(seed.receipts, start=1)
        ],
        "invoices": [*earlier, invoice],
        "bank_changes": [
            {
                "ref": "bank-change",
                "account": f"DE{_digits(called, 20)}",
                "routing": "MARKDEF1100",
                "requested_from": f"billing@{names.slug(called.vendor)}-accounts.outside.example",
                "proposed_by": holders("clerk")[0],
            }
        ]
        if seed.bank_change
        else [],
        "faults": [],
    }


def _vendor(called: Names, seed: Seed) -> dict[str, Any]:
    trusted = "2021-01-11" if seed.bank_account == "long-active" else "2024-02-05"
    return {
        "id": called.vendor_id,
        "name": called.vendor,
        "terms": "NET30",
        "contacts": [
            {"name": called.contact, "phone": "+1 555 0142", "mail": called.address, "trusted_since": trusted},
        ],
        "bank_accounts": [{"account": f"US{_digits(called, 18)}", "routing": "021000021", "status": "ACTIVE"}],
    }


def _orders(seed: Seed, called: Names) -> list[dict[str, Any]]:
    if seed.order is None:
        return []
    lines = [
        {
            "item": line.item,
            "description": line.description,
            "unit": line.unit,
            "quantity": str(line.quantity),
            "price": _money(line.price),
        }
        for line in seed.order.lines
    ]
    return [
        {
            "ref": "order",
            "number": called.po,
            "buyer": called.buyer,
            "currency": seed.currency,
            "date": str(called.ordered_on),
            "lines": lines,
        }
    ]


def _invoice(name: str, seed: Seed, invoice: Invoice, called: Names, ref: str) -> dict[str, Any]:
    later = timedelta(days=15 if ref == "original" else 24)
    document = {
        "ref": ref,
        "number": called.original_number if ref == "original" else called.number,
        "po_reference": called.po if invoice.cites == "order" else called.unknown_po,
        "date": str(called.ordered_on + later),
        "currency": seed.currency,
        "lines": [_line(name, seed, line) for line in invoice.lines],
        "tax": "0.00",
        "freight": _money(invoice.freight),
        "stated_total": None,
    }
    return {**document, "settled": "APPROVED"} if ref == "original" else document


def _line(name: str, seed: Seed, line: InvoiceLine) -> dict[str, Any]:
    if line.line is None:
        return {
            "po_line": None,
            "item": line.item,
            "description": line.description,
            "unit": line.unit or "EA",
            "quantity": str(line.quantity),
            "price": _money(line.price or Decimal(0)),
        }
    ordered = _ordered(name, seed, line.line)
    price = line.price or ordered.price * (100 + (line.over or 0)) / 100
    return {
        "po_line": line.line,
        "item": line.item or ordered.item,
        "description": line.description or ordered.description,
        "unit": line.unit or ordered.unit,
        "quantity": str(line.quantity or ordered.quantity),
        "price": _money(price),
    }


def _words(seed: Seed, called: Names, invoice: dict[str, Any]) -> dict[str, str]:
    """What sentences and amounts may name."""
    first = invoice["lines"][0]
    net = sum((Decimal(line["quantity"]) * Decimal(line["price"]) for line in invoice["lines"]), Decimal(0))
    ordered = dict(enumerate(seed.order.lines, start=1)) if seed.order else {}
    at_order_price = sum(
        (
            Decimal(line["quantity"]) * min(Decimal(line["price"]), ordered[line["po_line"]].price)
            for line in invoice["lines"]
            if line["po_line"] in ordered
        ),
        Decimal(0),
    )
    words = {
        "vendor": called.vendor,
        "contact": called.contact,
        "invoice_number": called.number,
        "original_number": called.original_number,
        "quantity": f"{Decimal(first['quantity']):f}",
        "price": first["price"],
        "item": first["item"],
        "total": _money(net + seed.invoice.freight),
        "at_order_price": _money(at_order_price),
        "cited_po": invoice["po_reference"],
        "currency": seed.currency,
    }
    if seed.order:
        words |= {"po": called.po, "order_price": _money(seed.order.lines[0].price)}
    return words


def _ordered(name: str, seed: Seed, line: int) -> Any:
    lines = seed.order.lines if seed.order else ()
    if not 1 <= line <= len(lines):
        raise ScenarioInvalid(f"{name}: seed: line {line} is not on the order", next_step=f"it has {len(lines)}")
    return lines[line - 1]


def _digits(called: Names, count: int) -> str:
    return str(uuid.UUID(called.vendor_id).int)[:count]


def _money(value: Decimal) -> str:
    return f"{value.quantize(CENT, rounding=ROUND_HALF_UP):f}"
