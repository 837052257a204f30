"""An accounts-payable seed becomes what the ERP's stage door is given, and everything that follows from it. Pure."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from pydantic import BaseModel

from deskworld.errors import ScenarioInvalid
from deskworld.values.case import Happens, Part
from deskworld.values.draws import Draws
from deskworld.values.scenario import Scenario
from deskworld.world import Compiled
from deskworld.worlds.ap.documents import Drafting, accepted, arriving, money, situation
from deskworld.worlds.ap.naming import call
from deskworld.worlds.ap.seed import Seed

RECORDS = ("orders", "receipts", "invoices", "bank_changes")


def compile_ap(scenario: Scenario, seed: BaseModel, rng: Draws, tag: str) -> Compiled:
    """Raises ScenarioInvalid when a line bills an order line that is not there, or a text names what is not there."""
    if not isinstance(seed, Seed):
        raise TypeError(f"the seed of {scenario.name} is not one of accounts payable")
    called = call(rng, tag)
    of = Drafting(scenario.name, seed, called)
    documents = situation(of)
    people = {
        "buyer": Part(identity=called.buyer),
        "vendor": Part(identity=called.address),
        "outsider": Part(identity=called.outsider),
    }
    return Compiled(
        subject_id=called.vendor_id,
        situation=documents,
        refs=frozenset({"vendor"} | {one["ref"] for group in RECORDS for one in documents[group]}),
        raises=seed.raises,
        follow=seed.raises[0],
        words=_words(of, documents["invoices"][-1]),
        people=people,
        roles=_roles(called.buyer),
        happens=_goods(of),
    )


def _goods(of: Drafting) -> tuple[Happens, ...]:
    receipt = arriving(of)
    if receipt is None:
        return ()
    return (Happens(name="the-rest", kind="goods", when="held", who=of.called.clerk, body=receipt),)


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


def _words(of: Drafting, invoice: dict[str, Any]) -> dict[str, str]:
    """What sentences and amounts may name."""
    called, first = of.called, invoice["lines"][0]
    net = sum((Decimal(line["quantity"]) * Decimal(line["price"]) for line in invoice["lines"]), Decimal(0))
    words = {
        "vendor": called.vendor,
        "contact": called.contact,
        "invoice_number": invoice["number"],
        "quantity": _plain(first["quantity"]),
        "price": first["price"],
        "item": first["item"],
        "total": money(net + of.seed.invoice.freight),
        "cited_po": invoice["po_reference"],
        "currency": of.seed.currency,
        "freight": invoice["freight"],
        "marker": called.marker,
        "new_account": called.new_account,
        "at_order_price": "0.00",
        "payable": "0.00",
    }
    if of.seed.earlier:
        words["original_number"] = called.original
    return words | _words_of_order(of, invoice) if of.seed.order else words


def _words_of_order(of: Drafting, invoice: dict[str, Any]) -> dict[str, str]:
    """`at_order_price` is what was billed at no more than the order's price; `payable` that of what had come."""
    ordered, came = of.ordered(1), accepted(of, 1)
    at_order_price = payable = Decimal(0)
    for line in invoice["lines"]:
        if line["po_line"] is not None:
            price = min(Decimal(line["price"]), of.ordered(line["po_line"]).price)
            billed = Decimal(line["quantity"])
            at_order_price += billed * price
            payable += min(billed, accepted(of, line["po_line"])) * price
    return {
        "po": of.called.po,
        "order_price": money(ordered.price),
        "ordered_item": ordered.item,
        "ordered": _plain(ordered.quantity),
        "received": _plain(came),
        "missing": _plain(ordered.quantity - came),
        "at_order_price": money(at_order_price),
        "payable": money(payable),
    }


def _plain(value: Any) -> str:
    return f"{Decimal(value).normalize():f}"
