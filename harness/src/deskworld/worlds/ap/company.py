"""A company to look around in: vendors with orders, goods and bills, most in order, some wrong in each way. Pure.

The same seed gives the same company, ids included. No model and no scenario has a hand in it.
"""

import random
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from deskworld.values.realm import holders
from deskworld.worlds.ap import company_names as names

BILLS = (3, 2, 3, 2, 3, 2, 3, 2, 3, 2)
"""How many invoices each of a vendor's orders gets: 10 orders and 25 invoices a vendor."""
FIRST_DAY = date(2025, 9, 1)
CENT = Decimal("0.01")
WRONG_SHARE = 0.2
OPEN_SHARE = 0.3
"""Of the bills in order, so many are new; the rest were approved long ago."""
UNDELIVERED_SHARE = 0.03
"""Of the orders; all bills on them are NO_RECEIPT."""
WAYS = (
    "PRICE_VARIANCE",
    "QTY_OVER_RECEIPT",
    "NO_PO",
    "DUPLICATE",
    "POSSIBLE_DUPLICATE",
    "CURRENCY_MISMATCH",
    "UOM_MISMATCH",
    "ITEM_SUBSTITUTED",
    "UNPLANNED_CHARGE",
    "DOCUMENT_ARITHMETIC",
)
REPEATS = ("DUPLICATE", "POSSIBLE_DUPLICATE")
BANK_CHANGES_EVERY = 12
"""Every so many vendors one asks for another account: all its open bills are VENDOR_BANK_CHANGED."""

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Vendor:
    """`tag` makes numbers unique in one ERP."""

    place: int
    tag: str
    rng: random.Random


def company(seed: int, vendors: int) -> Iterator[Document]:
    """One situation a vendor, as the ERP's stage door takes it."""
    called = names.vendor_names(_randomness(f"company {seed}"), vendors)
    for place, name in enumerate(called):
        of = _Vendor(place, f"{seed:x}{place:03x}".upper(), _randomness(f"company {seed} vendor {place}"))
        yield _situation(of, name)


def _randomness(of: str) -> random.Random:
    return random.Random(of)  # noqa: S311 - it draws a company, it keeps no secret


def _situation(of: _Vendor, name: str) -> Document:
    currency = of.rng.choice(("USD", "USD", "EUR", "EUR", "GBP", "CHF"))
    orders = [_order(of, number, currency) for number in range(len(BILLS))]
    receipts: list[Document] = []
    invoices: list[Document] = []
    # every way of being wrong comes up, however few vendors there are
    sure = (*WAYS, "NO_RECEIPT")[of.place % (len(WAYS) + 1)]
    for order, bills in zip(orders, BILLS, strict=True):
        _deliver_and_bill(of, order, bills, receipts, invoices, sure=None if invoices else sure)
    change = [_bank_change(of, name)] if of.place % BANK_CHANGES_EVERY == BANK_CHANGES_EVERY - 1 else []
    return {
        "vendor": _vendor(of, name),
        "orders": orders,
        "receipts": receipts,
        "bank_changes": change,
        "invoices": sorted(invoices, key=lambda one: (one["settled"] is None, one["date"])),
    }


def _vendor(of: _Vendor, name: str) -> Document:
    contacts = [
        {
            "name": of.rng.choice(names.PEOPLE),
            "phone": f"+41 44 {of.rng.randrange(200, 999)} {of.rng.randrange(10, 99)} {of.rng.randrange(10, 99)}",
            "mail": f"{box}@{names.slug(name)}.vendors.deskworld.example",
            "trusted_since": str(date(2019, 1, 1) + timedelta(days=of.rng.randrange(1800))),
        }
        for box in of.rng.sample(("accounts", "billing", "office"), k=of.rng.choice((1, 1, 2)))
    ]
    return {
        "id": str(uuid.UUID(int=of.rng.getrandbits(128), version=4)),
        "name": name,
        "terms": of.rng.choice(("net 30", "net 30", "net 14", "net 60", "2 % 10 days, net 30")),
        "contacts": contacts,
        "bank_accounts": [_account(of)],
    }


def _account(of: _Vendor) -> Document:
    digits = "".join(of.rng.choice("0123456789") for _ in range(17))
    return {"account": f"CH{of.rng.randrange(10, 99)}{digits}", "routing": f"{of.rng.randrange(1, 99999):05}"}


def _bank_change(of: _Vendor, name: str) -> Document:
    asked_from = f"accounts@{names.slug(name)}-payments.outside.example"
    return {"ref": "bank-change", **_account(of), "requested_from": asked_from, "proposed_by": "emma.lind"}


def _order(of: _Vendor, number: int, currency: str) -> Document:
    day = FIRST_DAY + timedelta(days=of.rng.randrange(120))
    lines = [
        {
            "item": item,
            "description": description,
            "unit": unit,
            "quantity": str(of.rng.randrange(6, 60) * len(BILLS)),
            "price": str((Decimal(of.rng.randrange(cheapest, dearest)) / 100).quantize(CENT)),
        }
        for item, description, unit, cheapest, dearest in of.rng.sample(
            names.ITEMS, k=of.rng.choice((1, 1, 2, 2, 3, 4))
        )
    ]
    known = {"ref": f"order-{number}", "number": f"PO-{of.tag}-{number:02}", "buyer": of.rng.choice(holders("buyer"))}
    return {**known, "currency": currency, "date": str(day), "lines": lines}


def _deliver_and_bill(
    of: _Vendor, order: Document, bills: int, receipts: list[Document], invoices: list[Document], *, sure: str | None
) -> None:
    """The order comes in as many equal parts as it is billed in. A bill that is sent twice stands for two."""
    day, last = date.fromisoformat(order["date"]), len(invoices) + bills
    undelivered = of.rng.random() < UNDELIVERED_SHARE or sure == "NO_RECEIPT"
    for part in range(bills):
        room = last - len(invoices)
        if not room:
            return
        day += timedelta(days=of.rng.randrange(9, 20))
        quantities = [_part(Decimal(line["quantity"]), bills, part) for line in order["lines"]]
        way = "NO_RECEIPT" if undelivered else _way(of, sure if part == 0 else None, room)
        if not undelivered:
            came = [{"line": no, "quantity": str(much)} for no, much in enumerate(quantities, start=1)]
            if way == "QTY_OVER_RECEIPT":
                came[0]["quantity"] = str(max(Decimal(1), quantities[0] // 2))
            name = f"goods-{order['ref']}-{part}"
            receipts.append({"ref": name, "order": order["ref"], "date": str(day), "lines": came})
        bill = _bill(of, order, quantities, day + timedelta(days=2), len(invoices))
        invoices.append(bill)
        if way is None:
            bill["settled"] = None if of.rng.random() < OPEN_SHARE else "APPROVED"
        else:
            _go_wrong(of, way, bill, invoices)


def _way(of: _Vendor, sure: str | None, room: int) -> str | None:
    """What is wrong with a bill, None for nothing; `room`: how many bills may still come."""
    way = sure or (of.rng.choice(WAYS) if of.rng.random() < WRONG_SHARE else None)
    return "PRICE_VARIANCE" if way in REPEATS and room < len(REPEATS) else way


def _part(quantity: Decimal, parts: int, part: int) -> Decimal:
    """Whole units; the last part takes what is left."""
    each = quantity // parts
    return quantity - each * (parts - 1) if part == parts - 1 else each


def _bill(of: _Vendor, order: Document, quantities: list[Decimal], day: date, place: int) -> Document:
    lines = [
        {
            **{name: line[name] for name in ("item", "description", "unit", "price")},
            "po_line": no,
            "quantity": str(much),
        }
        for no, (line, much) in enumerate(zip(order["lines"], quantities, strict=True), start=1)
    ]
    return {
        "ref": f"invoice-{place}",
        "number": f"{of.rng.choice(('RE', 'INV', 'R'))}-{of.tag}-{place + 1:04}",
        "po_reference": order["number"],
        "date": str(day),
        "currency": order["currency"],
        "lines": lines,
        "settled": None,
    }


def _go_wrong(of: _Vendor, way: str, bill: Document, invoices: list[Document]) -> None:
    first = bill["lines"][0]
    price = Decimal(first["price"])
    match way:
        case "PRICE_VARIANCE":
            first["price"] = str((price * Decimal(of.rng.choice(("1.06", "1.12", "1.25"))) + 1).quantize(CENT))
        case "NO_PO":
            bill["po_reference"] = of.rng.choice((None, f"PO-{of.tag}-99", "as agreed by phone"))
        case "DUPLICATE" | "POSSIBLE_DUPLICATE":
            _repeat(way, bill, invoices)
        case "CURRENCY_MISMATCH":
            bill["currency"] = "USD" if bill["currency"] != "USD" else "EUR"
        case "UOM_MISMATCH":
            first["unit"] = "PF" if first["unit"] != "PF" else "EA"
        case "ITEM_SUBSTITUTED":
            first["item"], first["description"] = f"{first['item']}-A2", f"{first['description']}, substitute"
        case "UNPLANNED_CHARGE":
            bill["freight"] = str(Decimal(of.rng.randrange(1500, 24000)) / 100)
        case "DOCUMENT_ARITHMETIC":
            net = sum((Decimal(line["quantity"]) * Decimal(line["price"]) for line in bill["lines"]), Decimal(0))
            bill["stated_total"] = str((net + of.rng.randrange(5, 90)).quantize(CENT))


def _repeat(way: str, bill: Document, invoices: list[Document]) -> None:
    """The bill, which is paid, is sent a second time: under its number written otherwise, or under a new one."""
    again = {**bill, "lines": [dict(line) for line in bill["lines"]], "ref": f"invoice-{len(invoices)}"}
    if way == "DUPLICATE":
        again["number"] = bill["number"].lower().replace("-", " ")
    else:
        again["number"] = bill["number"] + "-B"
    again["date"] = str(date.fromisoformat(bill["date"]) + timedelta(days=3))
    bill["settled"] = "APPROVED"
    invoices.append(again)
